import { type CompletionTree, codeOf, type FlagNode } from "./tree.ts";

const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const table = (rows: readonly (readonly [string, string])[]): string => `@{ ${rows.map(([key, value]) => `${quote(key)} = ${quote(value)}`).join("; ")} }`;

const codes = (flags: readonly FlagNode[]): string =>
  table(flags.flatMap(({ words, values }) => words.map((word) => [word, values === undefined ? "" : codeOf(values)] as const)));

/** For PowerShell on any system. Values with spaces are quoted; case is kept, prefixes are matched as text. */
export const toPowershell = (
  tree: CompletionTree,
): string => `# PowerShell completion for payments-cli. In $PROFILE: payments-cli completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName 'payments-cli' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $globalFlags = ${codes(tree.globalFlags)}
    $places = @{
${tree.nodes
  .map(
    ({ path, children, flags, arguments: values, variadic }) =>
      `        ${quote(path)} = @{ children = ${table(children.map(({ name, summary }) => [name, summary] as const))}; flags = ${codes(flags)}; arguments = @(${values.map((value) => quote(codeOf(value))).join(", ")}); variadic = $${variadic} }`,
  )
  .join("\n")}
    }

    $offer = {
        param($code, $typed, $before)
        $kind, $rest = $code -split ' ', 2
        $values = switch ($kind) {
            'c' { $rest -split ' ' }
            's' { & payments-cli __complete $rest 2>$null }
            'f' { return [System.Management.Automation.CompletionCompleters]::CompleteFilename($typed) }
            default { @() }
        }
        $plain = $typed.Trim("'", '"')
        foreach ($value in $values) {
            if (-not $value -or -not $value.StartsWith($plain, [System.StringComparison]::Ordinal)) { continue }
            $text = if ($value -match '^[\\w.:/@+-]+$') { $value } else { "'" + $value.Replace("'", "''") + "'" }
            [System.Management.Automation.CompletionResult]::new("$before$text", $value, 'ParameterValue', $value)
        }
    }

    $words = @($commandAst.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object { if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text } })
    $here = ''
    $flag = $null
    $ended = $false
    $count = 0
    foreach ($word in $words) {
        if ($flag) { $flag = $null }
        elseif ($ended) { $count++ }
        elseif ($word -ceq '--') { $ended = $true }
        elseif ($word -clike '-*=*') { }
        elseif ($word -clike '-?*') {
            if ($places[$here].flags[$word] -or $globalFlags[$word]) { $flag = $word }
        }
        else {
            $next = "$here $word".Trim()
            if ($count -eq 0 -and $places.ContainsKey($next)) { $here = $next } else { $count++ }
        }
    }
    $place = $places[$here]
    $codeOf = { param($name) if ($place.flags[$name]) { $place.flags[$name] } else { $globalFlags[$name] } }
    if ($flag) { & $offer (& $codeOf $flag) $wordToComplete '' }
    elseif (-not $ended -and $wordToComplete -clike '--*=*') {
        $name, $typed = $wordToComplete -split '=', 2
        & $offer (& $codeOf $name) $typed "$name="
    }
    elseif (-not $ended -and $wordToComplete -clike '-*') {
        & $offer ('c ' + ((@($place.flags.Keys) + @($globalFlags.Keys) | Sort-Object -Unique) -join ' ')) $wordToComplete ''
    }
    else {
        if ($count -eq 0 -and $place.children.Count) { & $offer ('c ' + ((@($place.children.Keys) | Sort-Object) -join ' ')) $wordToComplete '' }
        $index = if ($place.variadic -and $place.arguments.Count) { [Math]::Min($count, $place.arguments.Count - 1) } else { $count }
        if ($index -lt $place.arguments.Count) { & $offer $place.arguments[$index] $wordToComplete '' }
    }
}
`;
