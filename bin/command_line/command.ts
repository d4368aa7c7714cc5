import { Command, type CommandUnknownOpts, type OptionValues } from '@commander-js/extra-typings'

import type { Config } from '#config.ts'

import { UsageError } from './values.ts'

/**
 * What a command only reads, so that it must exist: the home, or accounts, which a database may hold instead. A command
 * that reads a backup fills the home.
 */
type Reads = 'home' | 'accounts' | 'backup'

/** Runs an action with the settings of the environment, and stores its exit code. */
export type Execute = (action: (config: Config) => Promise<number>, reads: Reads | undefined) => Promise<void>

/** A command of `tapeline`. Its name is the key in the list that holds it. */
export type CommandDescription = { build: (name: string, execute: Execute) => CommandUnknownOpts }

type Description<Args extends unknown[], Options extends OptionValues> = {
  /** One sentence for the list of commands and for the command's own help. */
  summary: string
  /** Declares the arguments and options. */
  define: (command: Command) => Command<Args, Options>
  reads?: Reads
  /** Returns the exit code. */
  run: (options: Options, config: Config, args: Args) => Promise<number>
}

/** Describes a command; the types of its options and arguments follow from `define`. */
export const defineCommand = <Args extends unknown[], Options extends OptionValues>({
  summary,
  define,
  reads,
  run,
}: Description<Args, Options>): CommandDescription => ({
  build: (name, execute) => {
    const command = define(new Command(name).description(summary))
    // Commander replaces an empty usage by `[options]`.
    command.usage(usageOf(command) || ' ')
    const mandatory = command.options.filter((option) => option.mandatory)
    // Commander checks missing options before unknown options, so its error would not name a misspelled option.
    for (const option of mandatory) option.makeOptionMandatory(false)
    return command.action(async () => {
      for (const option of mandatory) {
        if (command.getOptionValueSource(option.attributeName()) === undefined) {
          throw new UsageError(`${option.long}: missing; expected ${option.flags}`)
        }
      }
      await execute((config) => run(command.opts(), config, command.processedArgs), reads)
    })
  },
})

/** Describes a command with subcommands: `tapeline key create`. */
export const defineGroup = (
  summary: string,
  commands: Readonly<Record<string, CommandDescription>>,
): CommandDescription => ({
  build: (name, execute) => {
    const group = new Command(name).description(summary).usage('<command>').helpCommand(false)
    for (const [child, { build }] of Object.entries(commands)) group.addCommand(build(child, execute))
    return group
  },
})

/** Arguments and options of a command as its usage shows them. */
function usageOf({ registeredArguments, options }: CommandUnknownOpts): string {
  const args = registeredArguments.map((argument) => {
    const name = argument.variadic ? `${argument.name()}...` : argument.name()
    return argument.required ? `<${name}>` : `[${name}]`
  })
  return [...args, ...options.map(({ flags, mandatory }) => (mandatory ? flags : `[${flags}]`))].join(' ')
}
