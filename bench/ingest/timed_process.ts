import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Seconds of a whole process: those of the processor, and those that passed. */
export type Seconds = { cpu_s: number; wall_s: number }

/** A run of one side: its seconds, and the rows that it stored. */
export type Run = Seconds & { n_swaps: number; sum: string }

/** Runs a command to its end. Returns its output, and its seconds as bash measures them. */
export async function timed(
  command: readonly string[],
  { env = {}, cwd }: { env?: NodeJS.ProcessEnv; cwd?: string } = {},
): Promise<Seconds & { text: string }> {
  const script = 'TIMEFORMAT="timed %U %S %R"; time "$@"'
  const options = { env: { ...process.env, ...env }, maxBuffer: 1e8, ...(cwd === undefined ? {} : { cwd }) }
  const { stdout, stderr } = await promisify(execFile)('bash', ['-c', script, 'bash', ...command], options)
  const [, user, system, wall] = /timed ([\d.]+) ([\d.]+) ([\d.]+)/.exec(stderr) ?? []
  return { text: stdout, cpu_s: Number(user) + Number(system), wall_s: Number(wall) }
}

/** Does a piece of work in an empty folder, which is removed afterwards. */
export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'tapeline-bench-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
