# PowerShell completion for payments-cli. In $PROFILE: payments-cli completion powershell | Out-String | Invoke-Expression
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
        $value, $summary = $line -split "`t", 2
        if (-not $value.StartsWith($typed, [System.StringComparison]::Ordinal)) { continue }
        $text = if ($value -cmatch '^[A-Za-z0-9_./:=+-]+$') { $value } else { "'" + ($value -creplace "['\u2018-\u201b]", '$0$0') + "'" }
        [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $(if ($summary) { $summary } else { $value }))
    }
}
