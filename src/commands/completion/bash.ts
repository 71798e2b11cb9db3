import { argumentCodes, flagCodes, listByPlace, pathTest, quote } from "./posix-tables.ts";
import type { CompletionTree, FlagNode } from "./tree.ts";

const words = (flags: readonly FlagNode[]): string => flags.flatMap((flag) => flag.words.filter((word) => word.startsWith("--"))).join(" ");

/**
 * For bash from 3.2 on (macOS), also without the bash-completion package: nothing of it is used. Where `=` breaks words, as
 * it does by default, `--flag=value` arrives as three words. A value with spaces is quoted by us, as bash does not.
 */
export const toBash = (tree: CompletionTree): string => `# bash completion for payments-cli. In ~/.bashrc: source <(payments-cli completion bash)
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
  children= flags=
${listByPlace(tree, { children: (node) => `children=${quote(node.children.map(({ name }) => name).join(" "))}`, flags: () => "" }, "children")}
${listByPlace(tree, { children: () => "", flags: (flags) => `flags=${quote(words(flags))}` }, "flags")}
  flags="$flags ${words(tree.globalFlags)}"
}

_payments_cli_offer() {
  local typed=$1 kind=\${2%% *} rest=\${2#* } plain=$1 quoted= newline=$'\\n' value
  case $typed in
    \\'*|\\"*) plain=\${typed#?} quoted=yes ;;
    *) plain=\${typed//\\\\/} ;;
  esac
  case $kind in
    c) while IFS= read -r value; do
         [[ $value == "$plain"* ]] && COMPREPLY+=("$before$value")
       done <<< "\${rest// /$newline}" ;;
    s) while IFS= read -r value; do
         [[ $value == "$plain"* ]] || continue
         [[ $quoted ]] || printf -v value %q "$value"
         COMPREPLY+=("$before$value")
       done < <("\${COMP_WORDS[0]/#\\~/$HOME}" __complete "$rest" 2>/dev/null) ;;
    f) compopt -o default 2>/dev/null || while IFS= read -r value; do COMPREPLY+=("$before$value"); done < <(compgen -f -- "$typed") ;;
  esac
}

_payments_cli() {
  local typed=\${COMP_WORDS[COMP_CWORD]} here= children flags code= flag= before= word index count=0 ended= skip=
  COMPREPLY=()
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    if [[ $skip ]]; then
      [[ $word == = ]] || skip= flag=
      continue
    fi
    if [[ $ended ]]; then
      count=$((count + 1))
    elif [[ $word == -- ]]; then
      ended=yes
    elif [[ $word == -*=* ]]; then
      :
    elif [[ $word == -?* ]]; then
      _payments_cli_flag_code "$here:$word"
      if [[ $code ]]; then skip=yes flag=$word
      elif [[ \${COMP_WORDS[index + 1]} == = ]]; then skip=yes flag=; fi
    else
      local was=$here
      [[ $count == 0 ]] && _payments_cli_enter "\${here:+$here }$word"
      [[ $here == "$was" ]] && count=$((count + 1))
    fi
  done
  if [[ $skip ]]; then
    [[ $typed == = ]] && typed=
    [[ $flag ]] || return 0
    _payments_cli_flag_code "$here:$flag"
    _payments_cli_offer "$typed" "$code"
  elif [[ $typed == --*=* && ! $ended ]]; then
    before=\${typed%%=*}=
    _payments_cli_flag_code "$here:\${typed%%=*}"
    _payments_cli_offer "\${typed#*=}" "$code"
  elif [[ $typed == -* && ! $ended ]]; then
    _payments_cli_words
    _payments_cli_offer "$typed" "c\${flags:+ }$flags"
  else
    _payments_cli_words
    [[ $count == 0 && $children ]] && _payments_cli_offer "$typed" "c $children"
    _payments_cli_argument_code "$here:$count"
    [[ $code ]] && _payments_cli_offer "$typed" "$code"
  fi
  return 0
}

complete -F _payments_cli payments-cli
`;
