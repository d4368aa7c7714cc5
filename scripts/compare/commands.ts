import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'

import type { Side } from './sides.ts'

/** What a command of a side sees: the folder of its state, the instant of its clock, further settings. */
export type Place = { home: string; clock: string; scratch: string; settings: Record<string, string> }

export type Ended = { code: number | null; out: string; err: string }

/** A command that neither ends nor answers fails the comparison after this time. */
const most_ms = 15 * 60_000
const preload = new URL('./stopped_clock.js', import.meta.url).href

/**
 * The environment of a command: nothing of that of this process but the paths. A folder of temporary files of its own
 * keeps it apart from the demos that run on this machine.
 */
const environment = ({ home, clock, scratch, settings }: Place): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  HOME: process.env['HOME'] ?? '',
  TZ: 'UTC',
  TMPDIR: scratch,
  NODE_OPTIONS: `--import=${preload}`,
  COMPARE_CLOCK: clock,
  TAPELINE_HOME: home,
  TAPELINE_THREADS: '2',
  TAPELINE_MEMORY: '2GB',
  ...settings,
})

function start(side: Side, args: readonly string[], place: Place): { child: ChildProcess; ended: Promise<Ended> } {
  const child = spawn(process.execPath, ['bin/tapeline.js', ...args], {
    cwd: side.folder,
    env: environment(place),
    timeout: most_ms,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [out, err] = ['', '']
  child.stdout.on('data', (text: Buffer) => (out += text.toString()))
  child.stderr.on('data', (text: Buffer) => (err += text.toString()))
  const ended = once(child, 'close').then(([code]): Ended => ({ code: code as number | null, out, err }))
  return { child, ended }
}

/** Runs a command of a side to its end. */
export const tapeline = (side: Side, args: readonly string[], place: Place): Promise<Ended> =>
  start(side, args, place).ended

/** Runs `serve` of a side while `work` asks it. `work` gets the address of the service. */
export async function whileServing<T>(side: Side, place: Place, work: (url: string) => Promise<T>): Promise<T> {
  const { child, ended } = start(side, ['serve', '--port', '0'], place)
  try {
    return await work(await Promise.race([addressOf(child), ended.then(failed)]))
  } finally {
    child.kill('SIGTERM')
    await ended
  }
}

const addressOf = async (child: ChildProcess): Promise<string> => {
  for (let out = ''; ;) {
    const [text] = (await once(child.stdout ?? child, 'data')) as [Buffer]
    out += text.toString()
    const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(out) ?? []
    if (address !== undefined) return address
  }
}

const failed = ({ code, err }: Ended): never => {
  throw new Error(`serve: ended with ${code}; expected it to answer\n${err}`)
}
