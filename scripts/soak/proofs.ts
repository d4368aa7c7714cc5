import { spawn } from 'node:child_process'
import { once } from 'node:events'

/**
 * `npm run soak -- proofs [<filter of vitest>...]`: the tests in their long form, with more worlds, kills, runs and
 * seconds than `.ci/run`. A filter is a part of a path, such as `test/pipeline/kill`.
 */
export async function proofs(args: readonly string[]): Promise<void> {
  const env = { ...process.env, PROOF: 'long' }
  const child = spawn('npx', ['vitest', 'run', '--project', 'proof', '--project', 'unit', ...args], {
    env,
    stdio: 'inherit',
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`vitest: ended with ${String(code)}; expected 0`)
}
