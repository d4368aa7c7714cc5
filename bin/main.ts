import { ConfigError, parseConfig } from '#config.ts'
import { WrongServerSetting } from '#engine/engine.ts'
import { asDiskFault } from '#storage/disk_space.ts'

import { nameOf } from './command_line/faults.ts'
import { commandOf, createProgram, runProgram } from './command_line/program.ts'
import { UsageError } from './command_line/values.ts'
import { loadCommands } from './commands/index.ts'

/** Runs a command line and returns the exit code: 0 success, 1 failure, 2 invalid command line or environment. */
export async function main(args: readonly string[]): Promise<number> {
  let code = 0
  const program = createProgram(await loadCommands(args[0]), async (action) => {
    code = await action(parseConfig(process.env))
  })
  try {
    await runProgram(program, args)
    return code
  } catch (error) {
    const command = commandOf(program, args)
    if (error instanceof UsageError || error instanceof ConfigError || error instanceof WrongServerSetting) {
      process.stderr.write(`tapeline: ${error.message}\n`)
      if (error instanceof UsageError) process.stderr.write(`usage: ${nameOf(command)} ${command.usage()}\n`)
      return 2
    }
    const fault = asDiskFault(error)
    process.stderr.write(`${nameOf(command)}: ${fault instanceof Error ? fault.message : String(fault)}\n`)
    return 1
  }
}
