/*
 * Each script hands what was typed to `payments-cli __complete` and offers what comes back. Nothing of it is ever evaluated: bash
 * gets it quoted (cli/bash-words.ts), zsh and fish quote what they insert, and PowerShell's script does.
 */

const bash = `# bash completion for payments-cli. In ~/.bashrc: source <(payments-cli completion bash)
_payments_cli() {
  local line typed=\${COMP_LINE-\${COMP_WORDS[*]:0:COMP_CWORD+1}}
  [[ \${COMP_POINT-} ]] && typed=\${typed:0:COMP_POINT}
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line != :file ]]; then
      COMPREPLY+=("$line")
    elif ! compopt -o default 2>/dev/null; then
      while IFS= read -r line; do COMPREPLY+=("$(printf %q "$line")"); done < <(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}")
    fi
  done < <("\${COMP_WORDS[0]/#\\~/$HOME}" __complete bash "$typed" "\${COMP_WORDS[COMP_CWORD]}" 2>/dev/null)
}

complete -F _payments_cli payments-cli
`;

const zsh = `#compdef payments-cli
# zsh completion for payments-cli. In ~/.zshrc: source <(payments-cli completion zsh)
_payments_cli() {
  local line
  local -a lines values shown
  lines=("\${(@f)$("\${(Q)words[1]/#\\~/$HOME}" __complete zsh "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ $lines[1] == :file ]]; then
    compset -P '--*='
    _files
    return
  fi
  for line in "\${(@)lines:#}"; do
    values+=("\${line%%$'\\t'*}")
    shown+=("\${line/$'\\t'/  -- }")
  done
  (( $#values )) && compadd -l -d shown -a values
}

if [[ \${funcstack[1]} == _payments-cli ]]; then
  _payments_cli "$@"
else
  (( \${+functions[compdef]} )) || { autoload -Uz compinit && compinit; }
  compdef _payments_cli payments-cli
fi
`;

const fish = `# fish completion for payments-cli. Save as ~/.config/fish/completions/payments-cli.fish
function __payments_cli
    set -l words (commandline -opc)
    set -l program (string replace -r '^~' $HOME -- $words[1])
    set -e words[1]
    set -l typed (commandline -ct | string collect -a)
    set -l lines ($program __complete fish $words "$typed" 2>/dev/null)
    if test "$lines[1]" != :file
        test -n "$lines[1]"; and printf '%s\\n' $lines
        return
    end
    set -l before (string match -r -- '^--[^=]*=' "$typed")
    for path in (__fish_complete_path (string replace -r -- '^--[^=]*=' '' "$typed"))
        printf '%s%s\\n' "$before" $path
    end
end

complete -c payments-cli -f -a '(__payments_cli)'
`;

const powershell = `# PowerShell completion for payments-cli. In $PROFILE: payments-cli completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName 'payments-cli' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $words = @($commandAst.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text } })
    $typed = $wordToComplete.Trim("'", '"')
    $encoding = [Console]::OutputEncoding
    [Console]::OutputEncoding = [System.Text.UTF8Encoding]::new()
    try { $lines = @(& payments-cli __complete powershell @words "=$typed" 2>$null) } finally { [Console]::OutputEncoding = $encoding }
    foreach ($line in $lines) {
        if ($line -ceq ':file') {
            $before = if ($typed -cmatch '^--[^=]*=') { $Matches[0] } else { '' }
            [System.Management.Automation.CompletionCompleters]::CompleteFilename($typed.Substring($before.Length)) | ForEach-Object {
                [System.Management.Automation.CompletionResult]::new($before + $_.CompletionText, $_.ListItemText, $_.ResultType, $_.ToolTip)
            }
            continue
        }
        $value, $summary = $line -split "\`t", 2
        if (-not $value.StartsWith($typed, [System.StringComparison]::Ordinal)) { continue }
        $text = if ($value -cmatch '^[A-Za-z0-9_./:=+-]+$') { $value } else { "'" + ($value -creplace "['\\u2018-\\u201b]", '$0$0') + "'" }
        [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $(if ($summary) { $summary } else { $value }))
    }
}
`;

export const scripts = { bash, zsh, fish, powershell };
