import { ConfigError, parseConfig } from '#config.ts'

import { UsageError } from './args.ts'
import { commands } from './commands/index.ts'

/** Runs a command line and returns the exit code: 0 done, 1 failed, 2 not understood. */
export async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    process.stdout.write(help())
    return name === undefined ? 2 : 0
  }
  const command = commands[name]
  try {
    if (command === undefined) {
      throw new UsageError(`there is no command ${name}; there are ${Object.keys(commands).join(', ')}`)
    }
    return await command.run(rest, parseConfig(process.env))
  } catch (error) {
    if (error instanceof UsageError || error instanceof ConfigError) {
      process.stderr.write(`tapeline: ${error.message}\n`)
      if (command !== undefined && error instanceof UsageError)
        process.stderr.write(`usage: tapeline ${command.usage}\n`)
      return 2
    }
    process.stderr.write(`tapeline ${name}: ${error instanceof Error ? error.message : String(error)}\n`)
    return 1
  }
}

const help = (): string =>
  [
    'Tapeline: market and wallet intelligence that anyone can run.',
    '',
    ...Object.values(commands).map(({ usage, doc }) => `  tapeline ${usage}\n      ${doc}`),
    '',
    'State lives in $TAPELINE_HOME (./data). Instants are UTC: 2026-01-31 or 2026-01-31T12:00:00Z.',
    '',
  ].join('\n')
