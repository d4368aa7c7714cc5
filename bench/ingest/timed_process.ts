import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { z } from 'zod'

/** Seconds of a process: those of the processor, and those that passed. */
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

const firstShape = z.object({ cpu_s: z.number(), at_ms: z.number() })
const firstModule = new URL('first_request.js', import.meta.url).href

/** The environment in which a Node process notes its first request in a folder, and what it noted. */
export const firstRequestIn = (folder: string) => ({
  env: { NODE_OPTIONS: `--import ${firstModule}`, FIRST_REQUEST: join(folder, 'first_request.json') },
  read: async () => firstShape.parse(JSON.parse(await readFile(join(folder, 'first_request.json'), 'utf8'))),
})

/** Runs a command of Node to its end. Its seconds begin with its first request, so that loading it does not count. */
export const timedFromFirstRequest = (
  command: readonly string[],
  { env, cwd }: { env?: NodeJS.ProcessEnv; cwd?: string } = {},
): ReturnType<typeof timed> =>
  inFolder(async (folder) => {
    const first = firstRequestIn(folder)
    const { text, cpu_s } = await timed(command, { env: { ...env, ...first.env }, ...(cwd && { cwd }) })
    const [end_ms, begun] = [Date.now(), await first.read()]
    return { text, cpu_s: cpu_s - begun.cpu_s, wall_s: (end_ms - begun.at_ms) / 1000 }
  })

/** Does a piece of work in an empty folder, which is removed afterwards. */
export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'tapeline-bench-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
