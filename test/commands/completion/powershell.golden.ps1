# PowerShell completion for payments-cli. In $PROFILE: payments-cli completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName 'payments-cli' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $globalFlags = @{ '--output' = 'c table json jsonl csv'; '-o' = 'c table json jsonl csv'; '--json' = ''; '--fields' = 'n'; '--profile' = 's profile'; '--sandbox' = ''; '--base-url' = 'n'; '--timeout' = 'n'; '--retries' = 'n'; '--yes' = ''; '--no-input' = ''; '--no-color' = ''; '--quiet' = ''; '--debug' = ''; '--utc' = ''; '--help' = ''; '-h' = ''; '--version' = '' }
    $places = @{
        '' = @{ children = @{ 'whoami' = 'Which account and key a command would use, and where they come from'; 'profile' = 'Commands of profile'; 'completion' = 'A completion script for your shell'; 'help' = 'Help for a command or a topic' }; flags = @{  }; arguments = @(); variadic = $false }
        'whoami' = @{ children = @{  }; flags = @{  }; arguments = @(); variadic = $false }
        'profile' = @{ children = @{ 'use' = 'Make a profile the current one' }; flags = @{  }; arguments = @(); variadic = $false }
        'profile use' = @{ children = @{  }; flags = @{  }; arguments = @('s profile'); variadic = $false }
        'completion' = @{ children = @{  }; flags = @{  }; arguments = @('c bash zsh fish powershell'); variadic = $false }
        'help' = @{ children = @{  }; flags = @{  }; arguments = @('c exit-codes whoami profile completion'); variadic = $false }
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
            $text = if ($value -match '^[\w.:/@+-]+$') { $value } else { "'" + $value.Replace("'", "''") + "'" }
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
