import { argumentCodes, flagCodes, listByPlace, pathTest, quote } from "./posix-tables.ts";
import type { CompletionTree, FlagNode } from "./tree.ts";

const described = (name: string, summary: string): string => quote(`${name.replaceAll(":", "\\:")}:${summary}`);
const flagList = (flags: readonly FlagNode[]): string => flags.flatMap(({ words, summary }) => words.map((word) => described(word, summary))).join(" ");

/** For zsh, saved as \`_payments-cli\` in $fpath or sourced. compadd quotes what has spaces. */
export const toZsh = (tree: CompletionTree): string => `#compdef payments-cli
# zsh completion for payments-cli. In ~/.zshrc: source <(payments-cli completion zsh)
_payments_cli_flag_code() {
  local where=$1
  code=
${flagCodes(tree)}
}

_payments_cli_argument_code() {
  local where=$1
  code=
${argumentCodes(tree)}
}

_payments_cli_enter() {
  local next=$1
${pathTest(tree)}
}

_payments_cli_words() {
  children=() flags=()
${listByPlace(tree, { children: (node) => `children=(${node.children.map(({ name, summary }) => described(name, summary)).join(" ")})`, flags: () => "" }, "children")}
${listByPlace(tree, { children: () => "", flags: (flags) => `flags=(${flagList(flags)})` }, "flags")}
  flags+=(${flagList(tree.globalFlags)})
}

_payments_cli_offer() {
  local kind=\${1%% *} rest=\${1#* }
  local -a offered
  case $kind in
    c) offered=(\${(s: :)rest}) ;;
    s) offered=("\${(@f)$("\${(Q)words[1]/#\\~/$HOME}" __complete "$rest" 2>/dev/null)}") ;;
    f) _files; return ;;
    *) return 1 ;;
  esac
  offered=(\${offered:#})
  (( \${#offered} )) && compadd -- "\${(@)offered}"
}

_payments_cli() {
  local typed=\${words[CURRENT]} here= code= flag= word was index count=0 ended= skip=
  local -a children flags
  for ((index = 2; index < CURRENT; index++)); do
    word=\${(Q)words[index]}
    if [[ -n $skip ]]; then
      skip= flag=
    elif [[ -n $ended ]]; then
      (( count++ ))
    elif [[ $word == -- ]]; then
      ended=yes
    elif [[ $word == -*=* ]]; then
      :
    elif [[ $word == -?* ]]; then
      _payments_cli_flag_code "$here:$word"
      [[ -n $code ]] && skip=yes flag=$word
    else
      was=$here
      (( count == 0 )) && _payments_cli_enter "\${here:+$here }$word"
      [[ $here == $was ]] && (( count++ ))
    fi
  done
  if [[ -n $skip ]]; then
    _payments_cli_flag_code "$here:$flag"
    _payments_cli_offer "$code"
  elif [[ $typed == --*=* && -z $ended ]]; then
    _payments_cli_flag_code "$here:\${typed%%=*}"
    compset -P '*='
    _payments_cli_offer "$code"
  elif [[ $typed == -* && -z $ended ]]; then
    _payments_cli_words
    _describe -t flags flag flags
  else
    _payments_cli_words
    (( count == 0 && \${#children} )) && _describe -t commands command children
    _payments_cli_argument_code "$here:$count"
    [[ -n $code ]] && _payments_cli_offer "$code"
  fi
}

if [[ \${funcstack[1]} == _payments-cli ]]; then
  _payments_cli "$@"
else
  (( \${+functions[compdef]} )) || { autoload -Uz compinit && compinit; }
  compdef _payments_cli payments-cli
fi
`;
