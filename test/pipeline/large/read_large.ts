import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

import { z } from 'zod'

import { openLake } from '#lake/lake.ts'
import type { LakeReader } from '#lake/reader.ts'
import { loader } from '#test/run/loader.ts'

import type { LargeUpstream } from './upstream.ts'

const result = z.object({
  rows: z.number(),
  failures: z.array(z.object({ unit: z.string(), reason: z.string() })),
  peak_mb: z.number(),
  cpu_s: z.number(),
})

/** The report of a process that read a unit: its rows, and its largest resident memory. */
export type LargeReading = z.output<typeof result>

/** The limits of a process, and the source whose unit it reads. */
type Limits = {
  /** `TAPELINE_MEMORY`. */
  memory: string
  /** The heap of JavaScript; by default that of Node. */
  heap_mb?: number
  source?:
    | 'large_fills'
    | 'polymarket_trades'
    | 'kalshi_markets'
    | 'polymarket_markets'
    | 'limitless_activity'
    | 'kalshi_archive'
}

type Settings = Limits & {
  home: string
  upstream: Pick<LargeUpstream, 'url'> & Partial<Pick<LargeUpstream, 'onPage'>>
  at?: number
  /** Kills the process when it asks for this page. */
  killAt?: number
}

/** The instant of a reading, long after the end of the unit. */
export const readAt = Date.UTC(2026, 10, 20) * 1000

/** Reads the unit of an upstream in a process of its own. Null: the process was killed. */
export async function readLarge({
  home,
  upstream,
  at = readAt,
  killAt,
  ...limits
}: Settings): Promise<LargeReading | null> {
  const child = startWorker(home, upstream.url, limits, at)
  upstream.onPage?.((page) => {
    if (page === killAt) child.kill('SIGKILL')
  })
  const [said, [code, signal]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  if (signal === 'SIGKILL' && killAt !== undefined) return null
  if (code !== 0) throw new Error(`worker: ended with ${String(code ?? signal)}; expected 0`)
  return result.parse(JSON.parse(said))
}

/** Reads the stored responses of the unit again, in a process of its own. */
export async function reparseLarge(home: string, limits: Limits): Promise<LargeReading> {
  const child = startWorker(home, 'reparse', limits, readAt)
  const [said] = await Promise.all([text(child.stdout), once(child, 'exit')])
  return result.parse(JSON.parse(said))
}

function startWorker(home: string, url: string, { memory, heap_mb, source = 'large_fills' }: Limits, at: number) {
  const heap = heap_mb === undefined ? [] : [`--max-old-space-size=${heap_mb}`]
  const args = [...loader, join(import.meta.dirname, 'worker.ts'), home, url, memory, String(at), source]
  return spawn(process.execPath, [...heap, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
}

/** Reads the stored rows of a home. */
export async function readStored<T>(home: string, read: (reader: LakeReader) => Promise<T>): Promise<T> {
  const lake = await openLake(home, { threads: 1, memory: '1GB' })
  try {
    return await lake.read(read)
  } finally {
    await lake.close()
  }
}
