# bash completion for payments-cli. In ~/.bashrc: source <(payments-cli completion bash)
_payments_cli() {
  local line typed=${COMP_LINE-${COMP_WORDS[*]:0:COMP_CWORD+1}}
  [[ ${COMP_POINT-} ]] && typed=${typed:0:COMP_POINT}
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line != :file ]]; then
      COMPREPLY+=("$line")
    elif ! compopt -o default 2>/dev/null; then
      while IFS= read -r line; do COMPREPLY+=("$(printf %q "$line")"); done < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")
    fi
  done < <("${COMP_WORDS[0]/#\~/$HOME}" __complete bash "$typed" "${COMP_WORDS[COMP_CWORD]}" 2>/dev/null)
}

complete -F _payments_cli payments-cli
