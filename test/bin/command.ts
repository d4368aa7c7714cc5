import { onTestFinished, vi } from 'vitest'

import type { CommandDescription } from '#bin/command_line/command.ts'
import { createProgram, runProgram } from '#bin/command_line/program.ts'
import type { Config } from '#config.ts'

/** Runs a command with given settings, as `tapeline` does, and returns its exit code and standard output. */
export async function runCommand(
  description: CommandDescription,
  args: readonly string[],
  config: Config,
): Promise<{ code: number; output: string }> {
  const written: string[] = []
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0)
  onTestFinished(() => spy.mockRestore())
  let code = 0
  const program = createProgram({ command: description }, async (action) => {
    code = await action(config)
  })
  try {
    await runProgram(program, ['command', ...args])
    return { code, output: written.join('') }
  } finally {
    spy.mockRestore()
  }
}
