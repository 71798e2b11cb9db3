import { type CompletionTree, codeOf, type FlagNode, type Node } from "./tree.ts";

// fish's single quotes know two escapes.
const quote = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

const switchOf = (value: string, rows: readonly (readonly [readonly string[], string])[]): string =>
  [`    switch ${value}`, ...rows.flatMap(([patterns, code]) => [`        case ${patterns.map(quote).join(" ")}`, `            ${code}`]), "    end"].join(
    "\n",
  );

const flagRows = (path: string, flags: readonly FlagNode[]): readonly (readonly [readonly string[], string])[] =>
  flags.flatMap(({ words, values }) => (values === undefined ? [] : [[words.map((word) => `${path}:${word}`), `echo ${quote(codeOf(values))}`] as const]));

const argumentRows = ({ nodes }: CompletionTree): readonly (readonly [readonly string[], string])[] =>
  nodes.flatMap(({ path, arguments: values, variadic }) =>
    values.map((value, index) => [[`${path}:${variadic && index === values.length - 1 ? "*" : index}`], `echo ${quote(codeOf(value))}`] as const),
  );

const lines = (pairs: readonly (readonly [string, string])[]): string =>
  `printf '%s\\t%s\\n' ${pairs.map(([name, summary]) => `${quote(name)} ${quote(summary)}`).join(" ")}`;
const flagLines = (flags: readonly FlagNode[]): string => lines(flags.flatMap(({ words, summary }) => words.map((word) => [word, summary] as const)));
const childRow = ({ path, children }: Node) => [[path], lines(children.map(({ name, summary }) => [name, summary] as const))] as const;

/** For fish, which filters and quotes what is offered by itself. */
export const toFish = (tree: CompletionTree): string => `# fish completion for payments-cli. Save as ~/.config/fish/completions/payments-cli.fish
function __payments_cli_flag_code
${switchOf("$argv[1]", [...tree.nodes.flatMap(({ path, flags }) => flagRows(path, flags)), ...flagRows("*", tree.globalFlags)])}
end

function __payments_cli_argument_code
${switchOf("$argv[1]", argumentRows(tree))}
end

function __payments_cli_is_place
    contains -- "$argv[1]" ${tree.nodes
      .filter(({ path }) => path !== "")
      .map(({ path }) => quote(path))
      .join(" ")}
end

function __payments_cli_children
${switchOf('"$argv[1]"', tree.nodes.filter(({ children }) => children.length > 0).map(childRow))}
end

function __payments_cli_flags
${switchOf(
  '"$argv[1]"',
  tree.nodes.filter(({ flags }) => flags.length > 0).map(({ path, flags }) => [[path], flagLines(flags)] as const),
)}
    ${flagLines(tree.globalFlags)}
end

function __payments_cli_offer --argument-names code before program
    set -l parts (string split ' ' -- $code)
    switch $parts[1]
        case c
            printf "$before%s\\n" $parts[2..-1]
        case s
            for value in ($program __complete $parts[2] 2>/dev/null)
                printf '%s%s\\n' $before $value
            end
        case f
            __fish_complete_path (commandline -ct)
    end
end

function __payments_cli
    set -l tokens (commandline -opc)
    set -l typed (commandline -ct)
    set -l program $tokens[1]
    set -e tokens[1]
    set -l here ''
    set -l flag ''
    set -l ended ''
    set -l count 0
    for word in $tokens
        if test -n "$flag"
            set flag ''
        else if test -n "$ended"
            set count (math $count + 1)
        else if test "$word" = --
            set ended yes
        else if string match -q -- '-*=*' $word
            continue
        else if string match -q -- '-?*' $word
            test -n "$(__payments_cli_flag_code "$here:$word")"; and set flag $word
        else
            set -l next (string trim -- "$here $word")
            if test $count -eq 0; and __payments_cli_is_place "$next"
                set here $next
            else
                set count (math $count + 1)
            end
        end
    end
    if test -n "$flag"
        __payments_cli_offer "$(__payments_cli_flag_code "$here:$flag")" '' $program
    else if test -z "$ended"; and string match -q -- '--*=*' $typed
        set -l name (string split -m 1 = -- $typed)[1]
        __payments_cli_offer "$(__payments_cli_flag_code "$here:$name")" "$name=" $program
    else if test -z "$ended"; and string match -q -- '-*' $typed
        __payments_cli_flags $here
    else
        test $count -eq 0; and __payments_cli_children $here
        __payments_cli_offer "$(__payments_cli_argument_code "$here:$count")" '' $program
    end
end

complete -c payments-cli -f -a '(__payments_cli)'
`;
