import type { CommandUnknownOpts } from '@commander-js/extra-typings'

export const shells = ['bash', 'zsh', 'fish'] as const

/** A script that completes the commands, options and listed values of a program. */
export function completionScript(shell: (typeof shells)[number], program: CommandUnknownOpts): string {
  if (shell === 'fish') return fish(program)
  return shell === 'bash' ? bash(program) : zsh(program)
}

/** A command and its path: the names from the program down to the command, as a command line has them. */
type Node = { path: string; command: CommandUnknownOpts }

const nodesOf = (command: CommandUnknownOpts, path = ''): Node[] => [
  { path, command },
  ...command.commands.flatMap((child) => nodesOf(child, `${path} ${child.name()}`)),
]

const wordsOf = ({ commands, options, registeredArguments }: CommandUnknownOpts): string[] => [
  ...commands.map((child) => child.name()),
  ...registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
  ...options.map(({ long }) => long ?? ''),
  '--help',
]

function bash(program: CommandUnknownOpts): string {
  const nodes = nodesOf(program)
  const name = program.name()
  const paths = nodes.slice(1).map(({ path }) => `'${path}'`)
  const values = nodes.flatMap(({ path, command }) =>
    command.options
      // An option without a value completes nothing; without listed values the shell completes files.
      .filter(({ required }) => required)
      .map(({ long, argChoices = [] }) => `    '${path} ${long}') candidates='${argChoices.join(' ')}' ;;`),
  )
  const words = nodes.map(({ path, command }) => `    '${path} '*) candidates='${wordsOf(command).join(' ')}' ;;`)
  // The longest path is tried first, since every path begins with that of the program. Zsh reserves `path` and `words`.
  return `# Load it with: source <(${name} completion bash)
_${name}() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" command_path="" word candidates=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$command_path $word" in
      ${paths.join(' | ')}) command_path="$command_path $word" ;;
    esac
  done
  case "$command_path $previous" in
${[...values, ...words.reverse()].join('\n')}
  esac
  COMPREPLY=($(compgen -W "$candidates" -- "$current"))
}
complete -o default -F _${name} ${name}
`
}

/** Zsh runs the functions of bash. */
const zsh = (program: CommandUnknownOpts): string =>
  ['autoload -U +X compinit && compinit', 'autoload -U +X bashcompinit && bashcompinit', bash(program)].join('\n')

function fish(program: CommandUnknownOpts): string {
  const lines = nodesOf(program).flatMap(({ path, command }) => {
    const names = path.split(' ').filter((name) => name !== '')
    const children = command.commands.map((child) => child.name())
    const conditions = [
      ...names.map((name) => `__fish_seen_subcommand_from ${name}`),
      ...(children.length === 0 ? [] : [`not __fish_seen_subcommand_from ${children.join(' ')}`]),
    ]
    const begin = `complete -c ${program.name()} -n ${quote(conditions.join('; and '))}`
    return [
      ...command.commands.map((child) => `${begin} -f -a ${child.name()} -d ${quote(child.description())}`),
      ...command.registeredArguments.flatMap(({ argChoices = [] }) =>
        argChoices.length === 0 ? [] : [`${begin} -f -a ${quote(argChoices.join(' '))}`],
      ),
      ...command.options.map(({ long, required, argChoices = [], description }) =>
        [
          `${begin} -l ${(long ?? '').slice(2)}`,
          ...(required ? ['-r'] : []),
          ...(argChoices.length > 0 ? [`-f -a ${quote(argChoices.join(' '))}`] : []),
          `-d ${quote(description)}`,
        ].join(' '),
      ),
    ]
  })
  return [`# Load it with: ${program.name()} completion fish | source`, ...lines, ''].join('\n')
}

const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`
