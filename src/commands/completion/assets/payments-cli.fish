# fish completion for payments-cli. Save as ~/.config/fish/completions/payments-cli.fish
function __payments_cli
    set -l words (commandline -opc)
    set -l program (string replace -r '^~' $HOME -- $words[1])
    set -e words[1]
    set -l typed (commandline -ct | string collect -a)
    set -l lines ($program __complete fish $words "$typed" 2>/dev/null)
    if test "$lines[1]" != :file
        test -n "$lines[1]"; and printf '%s\n' $lines
        return
    end
    set -l before (string match -r -- '^--[^=]*=' "$typed")
    for path in (__fish_complete_path (string replace -r -- '^--[^=]*=' '' "$typed"))
        printf '%s%s\n' "$before" $path
    end
end

complete -c payments-cli -f -a '(__payments_cli)'
