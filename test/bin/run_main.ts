import { vi } from 'vitest'

import { main } from '#bin/main.ts'

/** Runs a command line in this process, with settings in the environment, and returns its exit code and its output. */
export async function runMain(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ code: number; out: string; err: string }> {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  let [out, err] = ['', '']
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => (out += String(text)) !== ''),
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => (err += String(text)) !== ''),
  ]
  try {
    const code = await main(args)
    return { code, out, err }
  } finally {
    for (const spy of spies) spy.mockRestore()
    vi.unstubAllEnvs()
  }
}
