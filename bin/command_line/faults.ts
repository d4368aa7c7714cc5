import type { CommanderError, CommandUnknownOpts } from '@commander-js/extra-typings'

import { nearest } from '#text/nearest.ts'

/** Converts an error of commander to the form `<thing>: <problem>; expected <what>`. */
export function describeFault({ code, message }: CommanderError, command: CommandUnknownOpts): string {
  const quoted = /'([^']*)'/.exec(message)?.[1] ?? ''
  const suggestion = /\(Did you mean (.+)\?\)/.exec(message)?.[1]
  const hint = suggestion === undefined ? '' : `; did you mean ${suggestion}?`
  switch (code) {
    case 'commander.unknownCommand':
      return `${quoted}: unknown command; expected ${oneOf(command.commands.map((child) => child.name()))}${hint}`
    case 'commander.unknownOption':
      return `${quoted}: unknown option; expected ${optionsOf(command)}${hint}`
    case 'commander.help':
      return `command: missing; expected ${oneOf(command.commands.map((child) => child.name()))}`
    case 'commander.missingArgument':
      return `<${quoted}>: missing; expected ${usageLine(command)}`
    case 'commander.excessArguments':
      return `${command.args.join(' ')}: too many arguments; expected ${usageLine(command)}`
    case 'commander.optionMissingArgument':
      return `${longOf(quoted)}: missing; expected ${quoted}`
    case 'commander.invalidArgument':
      return describeChoice(message)
    default:
      return message.replace(/^error: /, '')
  }
}

/** The error for a value outside the choices of an option or argument. */
function describeChoice(message: string): string {
  const option = /^error: option '(.+?)' argument '(.*)' is invalid/s.exec(message)
  const argument = /^error: command-argument value '(.*)' is invalid for argument '(.+?)'/s.exec(message)
  const [name, value] = option === null ? [argument?.[2], argument?.[1]] : [longOf(option[1] ?? ''), option[2]]
  const choices = /Allowed choices are (.+)\.$/s.exec(message)?.[1]?.split(', ') ?? []
  // A list of all sources would be longer than a line.
  const expected =
    choices.length > 10 ? `one of ${choices.length}, such as ${oneOf(nearest(value ?? '', choices))}` : oneOf(choices)
  return `${name} ${value}: unknown; expected ${expected}`
}

/** `--from` of `--from <instant>`. */
const longOf = (flags: string): string => flags.split(' ')[0] ?? flags

const optionsOf = ({ options }: CommandUnknownOpts): string =>
  oneOf([...options.map(({ long }) => long ?? ''), '--help'])

const oneOf = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`

/** `tapeline key create --tier <tier>` */
export const usageLine = (command: CommandUnknownOpts): string => `${nameOf(command)} ${command.usage()}`.trimEnd()

/** `tapeline key create` */
export const nameOf = (command: CommandUnknownOpts): string =>
  command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`
