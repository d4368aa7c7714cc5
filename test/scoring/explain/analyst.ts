import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

import type { World } from '#sim/markets/types.ts'
import { serveWorld } from '#sim/server/server.ts'
import { ingestAll, openTestPipeline } from '#test/pipeline/pipeline.ts'
import { loader } from '#test/run/loader.ts'

/** A row of either macro; amounts are exact decimals as text. */
export type Part = {
  part: string
  place: string
  ts: string | null
  what: string
  amount: string | null
  usd: string | null
  pnl_usd: string | null
  ref: string | null
}

/** The rows of some parts. */
export const of = (rows: readonly Part[], ...parts: string[]): Part[] => rows.filter(({ part }) => parts.includes(part))

/** An id with its hexadecimal digits in upper case. */
export const inUpperCase = (id: string): string => id.replace(/(?<=0x).*/, (digits) => digits.toUpperCase())

/** A client of the analysts' file of a world's lake, in another process. */
export type Analyst = {
  ask: <T>(sql: string) => Promise<T[]>
  /** Scores as of an instant, and publishes anew; a client with the file open keeps it. */
  publish: (asOf: number) => Promise<void>
  close: () => Promise<void>
}

/** Reads a world at one instant and again at its end, scores it, and opens the copy. */
export async function openAnalyst(world: World, firstAt: number): Promise<Analyst> {
  const clock = { at: firstAt }
  const upstream = await serveWorld({ world, clock: () => clock.at })
  const home = await mkdtemp(join(tmpdir(), 'tapeline-explain-'))
  const house = await openTestPipeline(home, upstream, () => clock.at)
  for (const at of [firstAt, world.now]) {
    clock.at = at
    await ingestAll(house, at)
  }
  const publish = async (asOf: number): Promise<void> => {
    const { analystsCopy } = await house.publish('scores', asOf)
    if (analystsCopy !== 'published') throw new Error('the copy waits for a client')
  }
  await house.publish('pulse', world.now)
  await publish(world.now)
  const { ask, end } = openCopy(house.lake.local.locate('tapeline.duckdb'))
  const close = async (): Promise<void> => {
    await end()
    await house.lake.close()
    await upstream.close()
    await rm(home, { recursive: true, force: true })
  }
  return { ask, publish, close }
}

function openCopy(file: string): { ask: Analyst['ask']; end: () => Promise<void> } {
  const child = spawn(process.execPath, [...loader, join(import.meta.dirname, 'worker.ts'), file])
  let errors = ''
  child.stderr.on('data', (text: Buffer) => (errors += text.toString()))
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const ask = async <T>(sql: string): Promise<T[]> => {
    child.stdin.write(`${sql.replaceAll('\n', ' ')}\n`)
    const { value, done } = await lines.next()
    if (done === true) throw new Error(`the analyst ended without a word: ${errors}`)
    return JSON.parse(value) as T[]
  }
  const end = async (): Promise<void> => {
    const exit = child.exitCode === null ? once(child, 'exit') : undefined
    child.stdin.end()
    await exit
  }
  return { ask, end }
}

/** The exact sum of a column in millionths, over the rows of some parts. */
export const sum = (rows: readonly Part[], column: 'amount' | 'usd' | 'pnl_usd', ...parts: string[]): bigint =>
  rows.filter(({ part }) => parts.includes(part)).reduce((total, row) => total + millionths(row[column]), 0n)

/** A decimal with six places as whole millionths; nothing is 0. */
const millionths = (text: string | null): bigint => BigInt((text ?? '0').replace('.', ''))

/** Millionths as dollars and cents, half away from zero. */
export function cents(usd: bigint): string {
  const whole = ((usd < 0n ? -usd : usd) + 5_000n) / 10_000n
  const text = `${whole / 100n}.${String(whole % 100n).padStart(2, '0')}`
  return usd < 0n && whole > 0n ? `-${text}` : text
}
