import type { CommandDescription } from '#bin/command_line/command.ts'
import { createProgram, runProgram } from '#bin/command_line/program.ts'
import type { Config } from '#config.ts'

/** Runs a command with given settings, as `tapeline` does, and returns its exit code. */
export async function runCommand(
  description: CommandDescription,
  args: readonly string[],
  config: Config,
): Promise<number> {
  let code = 0
  const program = createProgram({ command: description }, async (action) => {
    code = await action(config)
  })
  await runProgram(program, ['command', ...args])
  return code
}
