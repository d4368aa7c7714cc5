import { z } from 'zod'

import type { StreamSource } from '#ingest/source.ts'
import { storedEntries } from '#ingest/stored_rows.ts'
import type { DatasetName } from '#lake/datasets/index.ts'
import type { Lake } from '#lake/lake.ts'
import { lastObserved } from '#lake/units/stored_unit.ts'
import { isAhead, type Micros } from '#time.ts'

import { instantOf, unitAt, type OpenHour } from './open_hours.ts'

type SealedBy = NonNullable<StreamSource['sealedBy']>

/**
 * Drops the rows of an hour that the sealing source has, and the gaps that it has filled. The hour begins after them.
 * An hour that is sealed as a whole begins at its end, and has no rows. A reading of the future seals nothing.
 */
export async function sealHour(lake: Lake, source: StreamSource, hour: OpenHour, now: Micros): Promise<void> {
  const { sealedBy } = source
  if (sealedBy === undefined) return
  const last = await readTo(lake, sealedBy, hour, now)
  if (last === null || last <= hour.from || last === hour.comparedAt) return
  hour.comparedAt = last
  const reach = Math.min(last, hour.unit.to ?? Infinity)
  const sealed = sealedBy.byMarket === undefined ? reach : await firstUnread(lake, sealedBy.byMarket, { hour, reach })
  if (sealed <= hour.from) return
  hour.from = sealed
  hour.isChanged = true
  for (const rows of hour.rows.values()) {
    for (const [key, row] of rows) if (instantOf(row) < sealed) rows.delete(key)
  }
  for (const [text, { to = Infinity }] of hour.gaps) if (to <= sealed || sealed === hour.unit.to) hour.gaps.delete(text)
}

/** The end of the proved coverage of the sealing source: its own end in the hour, or its last observation. */
async function readTo(lake: Lake, sealedBy: SealedBy, { unit }: OpenHour, now: Micros): Promise<Micros | null> {
  const { name } = sealedBy
  if (sealedBy.unit === 'observation') return lastObserved(lake, { name, part: unit.part }, now)
  const entries = await storedEntries(lake, unitAt({ name, unit: 'hour' }, unit.part, unit.from))
  const [entry] = entries
  const isProved = entries.every(
    ({ state, checked_at }) => (state === 'done' || state === 'head') && !isAhead(checked_at, now),
  )
  if (entry === undefined || !isProved) return null
  return entry.to ?? unit.to
}

/** The instant of the first row before `reach` whose market no other source has; `reach` without one. */
async function firstUnread(
  lake: Lake,
  byMarket: NonNullable<SealedBy['byMarket']>,
  { hour, reach }: { hour: OpenHour; reach: Micros },
): Promise<Micros> {
  let first = reach
  for (const [name, rows] of hour.rows) {
    const waiting = [...rows.values()].filter((row) => instantOf(row) < first)
    const read = await marketsOf(lake, name, { sources: byMarket[name] ?? [], rows: waiting })
    for (const row of waiting) if (!read.has(String(row['market_id']))) first = Math.min(first, instantOf(row))
  }
  return first
}

const marketShape = z.object({ market_id: z.string() })

/** The markets of some rows of which these sources have rows too. */
async function marketsOf(
  lake: Lake,
  name: DatasetName,
  { sources, rows }: { sources: readonly string[]; rows: readonly Record<string, unknown>[] },
): Promise<Set<string>> {
  if (rows.length === 0) return new Set()
  const markets = await lake.read(({ query }) =>
    query(
      `select distinct market_id from lake.${name}
       where list_contains(string_split($sources, ','), source)
         and market_id in (select unnest(string_split($market_ids, ',')))`,
      marketShape,
      { sources: sources.join(), market_ids: rows.map((row) => String(row['market_id'])).join() },
      { [name]: sources.map((source) => `${source}/`) },
    ),
  )
  return new Set(markets.map(({ market_id }) => market_id))
}
