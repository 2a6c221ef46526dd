import { complete, shell_directories, shell_files } from '../ask/complete.ts'
import { defineCommand } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'

const shells = ['bash', 'zsh'] as const

export const command = defineCommand({
  options: (yargs) =>
    yargs
      .positional('shell', {
        choices: shells,
        default: 'bash' as (typeof shells)[number],
        describe: 'the shell it is for',
      })
      .option('words', {
        type: 'string',
        hidden: true,
        describe: 'for the script: the words so far, one a line; prints what the last may become',
      }),
  async run({ shell, words }, terminal, all) {
    if (words === undefined) terminal.out(scripts[shell])
    else for (const candidate of await complete(words.split('\n'), all)) terminal.out(candidate)
    return exit_codes.ok
  },
})

/** Works with bash 3.2, which macOS has and which lacks mapfile and compopt. */
const bash = `# Completion of sluice for bash. In ~/.bashrc: source <(sluice completion bash)
_sluice_completion() {
  local IFS=$'\\n' line path current="\${COMP_WORDS[COMP_CWORD]}" kind
  [[ $current == '=' ]] && current=''
  COMPREPLY=()
  while read -r line; do
    case "$line" in
      ${shell_files}) kind=f ;;
      ${shell_directories}) kind=d ;;
      *) COMPREPLY+=("$line"); continue ;;
    esac
    compopt -o filenames 2>/dev/null
    while read -r path; do COMPREPLY+=("$path"); done < <(compgen -"$kind" -- "$current")
  done < <("$1" completion --words="\${COMP_WORDS[*]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _sluice_completion sluice`

const zsh = `#compdef sluice
# Completion of sluice for zsh: as _sluice in a directory of fpath, or source <(sluice completion zsh) after compinit.
_sluice() {
  local line words_so_far="\${(pj:\\n:)words[2,CURRENT]}"
  local -a found
  # Of --option=value the value alone is completed.
  [[ $PREFIX == --*=* ]] && compset -P 1 '*='
  while IFS= read -r line; do
    case "$line" in
      ${shell_files}) _files ;;
      ${shell_directories}) _files -/ ;;
      *) found+=("$line") ;;
    esac
  done < <("\${words[1]}" completion --words="$words_so_far" 2>/dev/null)
  (( \${#found} )) && compadd -a found
}
if [[ "\${funcstack[1]}" == _sluice ]]; then _sluice "$@"; else compdef _sluice sluice; fi`

const scripts: Readonly<Record<(typeof shells)[number], string>> = { bash, zsh }
