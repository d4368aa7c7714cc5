import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs, promisify } from 'node:util'

import { startUpstream } from '#bin/demo/upstream.ts'
import { worldSettings } from '#bin/wiring/simulated_hosts.ts'

const run = promisify(execFile)
const options = {
  minutes: { type: 'string', default: '60' },
  of: { type: 'string' },
  seed: { type: 'string' },
} as const

/** The largest growth of the processes together. */
const mostGrown = 1.1
const every_ms = 5_000
const speed = 60

/** A measured command: its arguments, and its needs besides a home. */
type Watched = (seed: string) => Promise<{ args: string[]; env: Record<string, string>; close: () => Promise<unknown> }>

const watched: Record<string, Watched> = {
  demo: async (seed) => ({ args: ['demo', '--port', '0', '--seed', seed], env: {}, close: async () => undefined }),
  start: async (seed) => {
    const upstream = await startUpstream({ seed: Number(seed), speed })
    upstream.run()
    return {
      args: ['start', '--port', '0', '--from', new Date(upstream.opensAt / 1000).toISOString().slice(0, 10)],
      env: worldSettings(upstream),
      close: upstream.close,
    }
  },
}

/**
 * `npm run soak -- memory [--minutes N] [--of demo|start] [--seed N]`: runs both commands, or one, on simulated venues.
 * It compares the median resident memory of all processes of a command in the last quarter of the time with that of its
 * second sixth. In an hour these are minutes 45 to 60 and 10 to 20. The ratio is at most 1.1.
 */
export async function memory(args: readonly string[]): Promise<void> {
  const { minutes, of, seed = '1' } = parseArgs({ args: [...args], options }).values
  if (!(Number(minutes) > 0)) throw new Error(`--minutes ${minutes}: no number of minutes; expected a number above 0`)
  const names = of === undefined ? Object.keys(watched) : [of]
  // A failure of one ends the other, so that no command outlives the soak.
  const ending = new AbortController()
  const watching = names.map((name) =>
    watch(name, { seed, minutes: Number(minutes), signal: ending.signal }).catch((error: unknown) => {
      ending.abort(error)
      return Number.NaN
    }),
  )
  const ratios = await Promise.all(watching)
  ending.signal.throwIfAborted()
  const most = Math.max(...ratios)
  console.log(`ratio memory ${most.toFixed(3)}`)
  if (most > mostGrown) throw new Error(`resident memory: grew ${most.toFixed(3)} times; expected ${mostGrown} at most`)
}

type Time = { minutes: number; signal: AbortSignal }

/** Runs a command for some minutes after its start-up, and returns its growth. */
async function watch(name: string, { seed, ...time }: Time & { seed: string }): Promise<number> {
  const command = watched[name]
  if (command === undefined) throw new Error(`--of ${name}: unknown; expected ${Object.keys(watched).join(' or ')}`)
  const home = await mkdtemp(join(tmpdir(), `tapeline-memory-${name}-`))
  const { args, env, close } = await command(seed)
  const child = spawn(process.execPath, ['bin/tapeline.js', ...args], {
    env: { ...process.env, ...env, TAPELINE_HOME: home },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(child, 'exit')
  try {
    // Its first line on standard output reports that it serves.
    await Promise.race([once(child.stdout, 'data'), ended])
    const mb = await sample(child, name, time)
    const ratio = median(mb, 3 / 4, 1) / median(mb, 1 / 6, 1 / 3)
    console.log(`${name}: ${ratio.toFixed(3)} times as large at the end`)
    return ratio
  } finally {
    child.kill('SIGTERM')
    await ended
    await close()
    await rm(home, { recursive: true, force: true })
  }
}

/** The resident memory of a process and its descendants in megabytes, every five seconds; reports each minute's median. */
async function sample(child: ChildProcess, name: string, { minutes, signal }: Time): Promise<number[]> {
  const perMinute = 60_000 / every_ms
  const mb: number[] = []
  while (mb.length < minutes * perMinute) {
    await sleep(every_ms, undefined, { signal })
    const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=,rss='])
    const rows = stdout.split('\n').map((line) => line.trim().split(/ +/).map(Number))
    const tree = new Set([child.pid])
    // A set goes on with what is added to it.
    for (const parent of tree) for (const [pid, ppid] of rows) if (ppid === parent) tree.add(pid)
    const kb = rows.reduce((sum, [pid, , rss = 0]) => sum + (tree.has(pid) ? rss : 0), 0)
    if (kb === 0 || child.exitCode !== null)
      throw new Error(`${name}: ended early; expected it to run for ${minutes} minutes`)
    mb.push(kb / 1024)
    if (mb.length % perMinute !== 0) continue
    const last = mb.slice(-perMinute)
    console.log(`${name} minute ${mb.length / perMinute}: ${Math.round(median(last, 0, 1))} MB`)
  }
  return mb
}

/** The median of a part of a list, from one share of it to another. */
function median(values: readonly number[], from: number, to: number): number {
  const part = values.slice(Math.floor(values.length * from), Math.ceil(values.length * to)).toSorted((a, b) => a - b)
  return part[Math.floor(part.length / 2)] ?? Number.NaN
}
