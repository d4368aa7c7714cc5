import { ConfigError, parseConfig } from '#config.ts'
import { WrongServerSetting } from '#engine/engine.ts'
import { asDiskFault } from '#storage/disk_space.ts'

import { assertWhole } from './backup/marker.ts'
import { errorText } from './command_line/error_text.ts'
import { nameOf, usageLine } from './command_line/faults.ts'
import { assertHome } from './command_line/home.ts'
import { commandOf, createProgram, runProgram } from './command_line/program.ts'
import { Interrupted, UsageError } from './command_line/values.ts'
import { loadCommands } from './commands/index.ts'
import { assertWorldServed } from './wiring/world_guard.ts'

/** The exit code of a shell for a command that ^C ended. */
const interrupted = 130

/**
 * Runs a command line and returns the exit code: 0 success, 1 failure, 2 invalid command line or environment, 130 after
 * ^C.
 */
export async function main(args: readonly string[]): Promise<number> {
  stopWithReader()
  let [code, database] = [0, false]
  const program = createProgram(await loadCommands(args[0]), async (action, reads) => {
    const config = parseConfig(process.env)
    database = config.database !== undefined
    assertWorldServed(config)
    assertHome(config.home, reads === 'home' || (reads === 'accounts' && config.database === undefined))
    if (reads !== 'backup') assertWhole(config.home)
    code = await action(config)
  })
  try {
    await runProgram(program, args)
    return code
  } catch (error) {
    const command = commandOf(program, args)
    if (error instanceof UsageError || error instanceof ConfigError || error instanceof WrongServerSetting) {
      process.stderr.write(`tapeline: ${error.message}\n`)
      if (error instanceof UsageError) process.stderr.write(`usage: ${usageLine(command)}\n`)
      return 2
    }
    process.stderr.write(`${nameOf(command)}: ${errorText(asDiskFault(error), { database })}\n`)
    return error instanceof Interrupted ? interrupted : 1
  }
}

/**
 * Takes the end of the reader of the output, such as `head` or a `tee` that ^C ended: without a listener Node ends with
 * its own trace. A command that stops at ^C then stops in the same way; another one, or one that stops already, goes on
 * without output.
 */
function stopWithReader(): void {
  let isClosed = false
  const onError = (error: NodeJS.ErrnoException): void => {
    if (error.code !== 'EPIPE') throw error
    if (!isClosed && process.listenerCount('SIGINT') > 0) process.emit('SIGINT')
    isClosed = true
  }
  process.stdout.on('error', onError)
  process.stderr.on('error', onError)
}
