#compdef payments-cli
# zsh completion for payments-cli. In ~/.zshrc: source <(payments-cli completion zsh)
_payments_cli() {
  local line
  local -a lines values shown
  lines=("${(@f)$("${(Q)words[1]/#\~/$HOME}" __complete zsh "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ $lines[1] == :file ]]; then
    compset -P '--*='
    _files
    return
  fi
  for line in "${(@)lines:#}"; do
    values+=("${line%%$'\t'*}")
    shown+=("${line/$'\t'/  -- }")
  done
  (( $#values )) && compadd -l -d shown -a values
}

if [[ ${funcstack[1]} == _payments-cli ]]; then
  _payments_cli "$@"
else
  (( ${+functions[compdef]} )) || { autoload -Uz compinit && compinit; }
  compdef _payments_cli payments-cli
fi
