import { z } from 'zod'

import { time } from '#lake/columns.ts'
import { datasets, type DatasetName } from '#lake/datasets/index.ts'
import type { LakeReader } from '#lake/reader.ts'
import { toSourceValues } from '#lake/units/source_values.ts'
import type { Unit } from '#lake/units/unit.ts'
import { DAY, type Micros } from '#time.ts'

import { assertNoneLost, lostColumns } from './lost_columns.ts'
import type { NewRow } from './source.ts'

const storedRow = z.looseObject({ market_id: z.string() })
export type StoredRow = z.output<typeof storedRow>

type Stored = {
  dataset: DatasetName
  source: string
  /** The column of the instant of observation. */
  instant: 'seen_at' | 'ts'
  /** Rows from this instant on are ignored, so that a unit that is read again gives the same rows. */
  before: Micros
  market_ids: readonly string[]
  /** The prefix of the paths of the units to read. Default: all units of the source. */
  under?: string
  /** Default: all. */
  columns?: readonly string[]
}

/** The last row that a source stored of each market: instants as microseconds, decimals as millionths. */
export async function lastRows(lake: LakeReader, stored: Stored): Promise<Map<string, StoredRow>> {
  const all = Object.entries(datasets[stored.dataset].columns)
  const columns = Object.fromEntries(all.filter(([name]) => stored.columns?.includes(name) ?? true))
  const rows = await lake.query(
    `select ${toSourceValues({ columns })} from lake.${stored.dataset}
     where source = $source and ${stored.instant} < $before
       and market_id in (select unnest(string_split($market_ids, ',')))
     qualify row_number() over (partition by market_id order by ${stored.instant} desc) = 1`,
    storedRow,
    {
      source: stored.source,
      before: time.encode(stored.before),
      market_ids: stored.market_ids.join(),
    },
    { [stored.dataset]: [stored.under ?? `${stored.source}/`] },
  )
  return new Map(rows.map((row) => [row.market_id, row]))
}

/** Columns that change all the time. A change of them alone is no new row. */
const restless = new Set(['source', 'volume_usd', 'liquidity_usd'])

/** Whether a row differs from the last row of its market in any column but the instant and the restless ones. */
export const isChange = (
  dataset: DatasetName,
  row: Record<string, unknown>,
  last: StoredRow | undefined,
  instant: 'seen_at' | 'ts',
): boolean => {
  if (last === undefined) return true
  const names = Object.keys(datasets[dataset].columns).filter((name) => name !== instant && !restless.has(name))
  return names.some((name) => plain(row[name]) !== plain(last[name]))
}

/**
 * The quotes of an observation that differ from the last ones which its source stored of their markets that day. Throws
 * if a column of those has no value any more.
 */
export async function changedQuotes(
  lake: LakeReader,
  { source, part, from }: Pick<Unit, 'source' | 'part' | 'from'>,
  quotes: readonly NewRow<'quotes'>[],
): Promise<NewRow<'quotes'>[]> {
  const last = await lastRows(lake, {
    source,
    dataset: 'quotes',
    instant: 'ts',
    before: from,
    market_ids: quotes.map(({ market_id }) => market_id),
    under: dayOf({ name: source, part }, from),
  })
  assertNoneLost(source, lostColumns('quotes', quotes, last))
  return quotes.filter((row) => isChange('quotes', row, last.get(row.market_id), 'ts'))
}

const plain = (value: unknown): string =>
  JSON.stringify(value ?? null, (_, item: unknown) =>
    typeof item === 'bigint' || typeof item === 'number' ? `${item}` : item,
  )

/** The prefix of the unit paths of a source's observations in the UTC day of an instant. */
export const dayOf = ({ name, part }: { name: string; part: string }, at: Micros): string =>
  `${name}/${part}/${new Date(at / 1000).toISOString().slice(0, 10)}`

/** Whether a source has not observed its venue in the UTC day of an instant before it. */
export async function isFirstOfDay(
  lake: LakeReader,
  source: { name: string; part: string },
  at: Micros,
): Promise<boolean> {
  const seen = await lake.query(
    `select 1 as n from lake.coverage where source = $source and state <> 'missing'
       and from_at >= $day and from_at < $at limit 1`,
    z.object({ n: z.number() }),
    { source: source.name, day: time.encode(at - (at % DAY)), at: time.encode(at) },
    { coverage: [dayOf(source, at)] },
  )
  return seen.length === 0
}
