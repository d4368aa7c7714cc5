import { createHash } from 'node:crypto'

import { z } from 'zod'

import { compactLake, type Compacted, type CompactedSource, type Compaction } from '#lake/compaction/compact.ts'
import type { Lake } from '#lake/lake.ts'
import { withReader } from '#lake/reader.ts'
import type { UnitContents } from '#lake/units/store_unit.ts'
import { unitPath, type Unit } from '#lake/units/unit.ts'
import { currentFiles } from '#lake/views.ts'
import { openFolder } from '#storage/folder.ts'
import type { Storage } from '#storage/storage.ts'
import { newHome, quote, storeRows } from '#test/lake/fixture.ts'
import type { Micros } from '#time.ts'

export const minute: Micros = 60_000_000
export const hour: Micros = 60 * minute
export const day: Micros = 24 * hour
export const start: Micros = Date.UTC(2026, 10, 19) * 1000

export const feed: CompactedSource = { name: 'venue_feed', kind: 'hour', settle_s: 600, datasets: ['quotes'] }
export const odds: CompactedSource = { name: 'venue_odds', kind: 'observation', settle_s: 0, datasets: ['quotes'] }
export const trades: CompactedSource = { name: 'venue_trades', kind: 'history', settle_s: 0, datasets: ['quotes'] }
export const sources = [feed, odds, trades]

const part = 'venue'
export const hourAt = (from: Micros): Unit => ({
  source: feed.name,
  kind: 'hour',
  part,
  key: '',
  from,
  to: from + hour,
  params: [],
})
export const instantAt = (from: Micros): Unit => ({
  source: odds.name,
  kind: 'observation',
  part,
  key: '',
  from,
  to: from,
  params: [],
})
export const life = (key: string): Unit => ({
  source: trades.name,
  kind: 'history',
  part,
  key,
  from: 0,
  to: null,
  params: [],
})

/** Keys of lives that lie in one folder, as many as are asked for. */
export function keysTogether(n: number): string[] {
  const keys: string[] = []
  for (let i = 0; keys.length < n; i++) {
    if (createHash('md5').update(`k${i}`).digest('hex').startsWith('3f')) keys.push(`k${i}`)
  }
  return keys
}

/** Stores a unit as closed, with rows that say which unit they are of, and which version of it. */
export const store = (
  lake: Lake,
  unit: Unit,
  { version = 1n, n_rows = 2, ...more }: { version?: bigint; n_rows?: number } & Partial<UnitContents> = {},
): ReturnType<typeof storeRows> => {
  // Names that do not come in the order of the units, so that joined rows mix.
  const rows = Array.from({ length: n_rows }, (_, n) =>
    quote(`${n}:${unitPath(unit)}`, unit.from + n, { bid: version, ask: null }),
  )
  return storeRows(lake, unit, { quotes: rows }, { state: 'done', to: unit.to, checkedAt: unit.from, ...more })
}

export const compact = (lake: Lake, more: Partial<Compaction> = {}): Promise<Compacted> =>
  compactLake(lake, { sources, now: start + 400 * day, ...more })

const seenRow = z.object({ unit: z.string(), version: z.string(), n: z.bigint() })
const seenEntry = z.object({ unit: z.string(), n_rows: z.bigint(), state: z.string() })

/** What a reader sees: of each unit its rows as `version x rows`, and its entry in coverage as `state rows`. */
export async function seen(lake: Pick<Lake, 'read'>): Promise<{ rows: Seen; coverage: Seen }> {
  return lake.read(async ({ query }) => {
    const rows = await query(
      `select split_part(market_id, ':', 3) as unit, (bid * 1000000)::bigint::varchar as version, count(*) as n
       from lake.quotes group by all order by all`,
      seenRow,
    )
    const entries = await query(
      `select regexp_extract(unit, 'v1/(.*)\\.parquet', 1) as unit, n_rows, state from lake.coverage order by all`,
      seenEntry,
    )
    return {
      rows: grouped(rows.map(({ unit, version, n }) => [unit, `${version} x ${n}`])),
      coverage: grouped(entries.map(({ unit, state, n_rows }) => [unit, `${state} ${n_rows}`])),
    }
  })
}

export type Seen = Record<string, string>

/** By unit; of one that is seen twice both, which is what nobody expects. */
function grouped(pairs: readonly (readonly [string, string])[]): Seen {
  const units: Seen = {}
  for (const [unit, what] of pairs) units[unit] = units[unit] === undefined ? what : `${units[unit]}, ${what}`
  return units
}

/** A lake in a folder of its own that shares the DuckDB of another one, which is much faster to open. */
export async function beside(lake: Lake): Promise<Lake> {
  return over(lake, openFolder(await newHome()))
}

/** The same lake through another storage. */
export const over = (lake: Lake, storage: Storage): Lake => ({
  ...lake,
  storage,
  read: (work) => withReader({ storage, instance: lake.writer, scratch: lake.scratch }, work),
})

type Verb = Exclude<keyof Storage, 'locate'>

/** A storage of which every verb first goes through `before`, and then through `after`. */
export function watched(
  storage: Storage,
  { before, after }: Partial<Record<'before' | 'after', (verb: Verb, path: string) => Promise<void> | void>>,
): Storage {
  const watch = <A extends unknown[], R>(verb: Verb, run: (...args: A) => Promise<R>) => {
    return async (...args: A): Promise<R> => {
      await before?.(verb, String(args[0]))
      const result = await run(...args)
      await after?.(verb, String(args[0]))
      return result
    }
  }
  return {
    locate: storage.locate,
    list: watch('list', storage.list),
    get: watch('get', storage.get),
    put: watch('put', storage.put),
    putIfMatch: watch('putIfMatch', storage.putIfMatch),
    delete: watch('delete', storage.delete),
    pin: watch('pin', storage.pin),
  }
}

/** The files that count, without what follows from their content. */
export async function files(lake: Lake, table = 'quotes'): Promise<string[]> {
  const { units, joined } = await currentFiles(lake.storage, `lake/${table}/v1`)
  return [...units, ...joined].map((path) => path.replace(/^.*\/venue\//, '').replace(/\.[0-9a-f]{12}\./, '.')).sort()
}

export const hours = (n: number, from = start): Unit[] => Array.from({ length: n }, (_, i) => hourAt(from + i * hour))
export const instants = (n: number, step = 5 * minute): Unit[] =>
  Array.from({ length: n }, (_, i) => instantAt(start + i * step))

export async function storeAll(
  lake: Lake,
  units: readonly Unit[],
  more: Parameters<typeof store>[2] = {},
): Promise<void> {
  for (const unit of units) await store(lake, unit, more)
}

/** What is seen of these units of the feed and the odds. */
export const expectedOf = (units: readonly Unit[], what: string): Record<string, string> =>
  Object.fromEntries(
    units.map(({ source, from }) => {
      const stamp = new Date(from / 1000).toISOString()
      const unit = source === feed.name ? stamp.slice(0, 13) : stamp.slice(0, 16).replace(':', '')
      return [`${source}/venue/${unit}`, what]
    }),
  )
