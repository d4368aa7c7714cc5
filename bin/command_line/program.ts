import { Command, CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings'

import manifest from '#package.json' with { type: 'json' }

import type { CommandDescription, Execute } from './command.ts'
import { completionScript, shells } from './completion.ts'
import { describeFault, usageLine } from './faults.ts'
import { UsageError } from './values.ts'

const footer = [
  '',
  'State is in $TAPELINE_HOME (./data).',
  'Instants are UTC: 2026-01-31 or 2026-01-31T12:00:00Z.',
].join('\n')

/** Builds `tapeline` from its commands, with help, version and shell completion. */
export function createProgram(commands: Readonly<Record<string, CommandDescription>>, execute: Execute): Command {
  const program: Command = new Command('tapeline')
  program
    .description('Tapeline: open-source market and wallet intelligence.')
    .usage('<command>')
    .version(manifest.version, '--version', 'Print the version.')
    .helpCommand(false)
    .addHelpText('after', footer)
  for (const [name, { build }] of Object.entries(commands)) program.addCommand(build(name, execute))
  program
    .command('completion')
    .description(`Print the completion script of a shell: ${shells.join(', ')}.`)
    .usage('<shell>')
    .addArgument(program.createArgument('<shell>').choices(shells))
    .action((shell) => void process.stdout.write(completionScript(shell, program)))
  program
    .command('help')
    .description('Show the help of a command.')
    .usage('[command...]')
    .argument('[command...]')
    .action(async (names) => {
      const { command, rest } = locate(program, names)
      // Commander refuses the unknown name, and suggests a similar one.
      if (rest.length > 0) await command.parseAsync(rest, { from: 'user' })
      else command.outputHelp()
    })
  for (const command of tree(program)) {
    command
      .exitOverride()
      .helpOption('-h, --help', 'Show this help.')
      .configureHelp({ commandUsage: usageLine })
      .configureOutput({ outputError: () => undefined })
  }
  return program
}

/** Parses a command line and runs its action. Throws a {@link UsageError} if the command line is invalid. */
export async function runProgram(program: CommandUnknownOpts, args: readonly string[]): Promise<void> {
  try {
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    // Help and the version exit with 0. A missing command shows the help and is an error.
    if (error.exitCode !== 0) throw new UsageError(describeFault(error, commandOf(program, args)))
  }
}

/** The command that a command line names. */
export const commandOf = (program: CommandUnknownOpts, [first = '', ...rest]: readonly string[]): CommandUnknownOpts =>
  locate(program, first === 'help' ? rest : [first, ...rest]).command

/** The command that the first words name, and the remaining words. */
function locate(
  program: CommandUnknownOpts,
  words: readonly string[],
): { command: CommandUnknownOpts; rest: readonly string[] } {
  const [name, ...rest] = words
  const child = program.commands.find((command) => command.name() === name)
  return child === undefined ? { command: program, rest: words } : locate(child, rest)
}

/** A command and all its subcommands. */
const tree = (command: CommandUnknownOpts): CommandUnknownOpts[] => [command, ...command.commands.flatMap(tree)]
