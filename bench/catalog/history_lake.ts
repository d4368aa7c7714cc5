import { commitUnits, type NewFile, storedPath } from '#lake/catalog/commit_units.ts'
import { toCoverageRow, unitMetadata } from '#lake/catalog/coverage_rows.ts'
import type { Coverage } from '#lake/datasets/index.ts'
import { openLake, type Lake } from '#lake/lake.ts'
import { columnsOf, lakeTable } from '#lake/sql.ts'
import { writeParquet } from '#lake/units/write_parquet.ts'
import { withConnection } from '#storage/duckdb.ts'
import { DAY, type Micros } from '#time.ts'

type Size = { n_units: number; n_fills: number; unitsPerFile: number; at: Micros }

/**
 * Stores a lake of histories: half of the units are markets, half accounts. Each of the fills is in the history of its
 * market and in that of its account. Every other market is done. All other units are heads that end two days before
 * `at`, so that a backfill reads them. A data file has the rows of one unit, or of several, as after compaction.
 */
export async function fillHistories(home: string, { n_units, n_fills, unitsPerFile, at }: Size): Promise<void> {
  const lake = await openLake(home, { threads: 1, memory: '1GB' })
  const of = { n: n_units >> 1, perUnit: Math.round((2 * n_fills) / n_units), until: at - 2 * DAY }
  try {
    await storeUnits(lake, { ...of, source: 'polymarket_markets', dataset: 'markets', first: 0, last: 0 })
    for (let first = 0; first < of.n; first += unitsPerFile) {
      const last = Math.min(first + unitsPerFile, of.n) - 1
      await storeUnits(lake, { ...of, source: 'polymarket_trades', dataset: 'fills', first, last })
      await storeUnits(lake, { ...of, source: 'polymarket_activity', dataset: 'fills', first, last })
    }
  } finally {
    await lake.close()
  }
}

/** `n` markets and as many accounts; a file has the units `first` to `last` of a source. */
type File = {
  source: 'polymarket_markets' | 'polymarket_trades' | 'polymarket_activity'
  dataset: 'markets' | 'fills'
  first: number
  last: number
  n: number
  perUnit: number
  until: Micros
}

async function storeUnits(lake: Lake, file: File): Promise<void> {
  const { source, dataset, first, last } = file
  const { dataset: stored } = lakeTable(dataset)
  const entries = Array.from({ length: last - first + 1 }, (_, i) => entryOf(file, first + i))
  const select = `select ${columnsOf(stored)} from (${selects[source](file)}) order by ${dataset === 'fills' ? 'nth, ' : ''}${stored.key.join()}`
  const written = await withConnection(lake.writer, (connection) =>
    writeParquet(connection, lake.scratch, stored, { select, metadata: unitMetadata('real', entries) }),
  )
  const { body, ...of } = written
  const path = `${source}/${venue}/${written.digest.slice(0, 16)}.parquet`
  await lake.storage.put(storedPath({ dataset, path }), body)
  const units = entries.map(({ unit, n_rows }) => ({ unit, n_rows }))
  const added: NewFile = { ...of, dataset, path, source, units }
  const rest =
    source === 'polymarket_activity' ? entries.map((entry) => ({ ...entry, dataset: 'activity', n_rows: 0 })) : []
  for (let n = 0; n < entries.length; n += 400) {
    const some = [...entries.slice(n, n + 400), ...rest.slice(n, n + 400)]
    const names = some.slice(0, 400).map(({ unit }) => unit)
    await commitUnits(lake.catalog, {
      units: names,
      ...(n === 0 ? { files: [added] } : {}),
      coverage: some.map(toCoverageRow),
    })
  }
}

const venue = 'polymarket'
const keyOf = (n: number, n_digits: number): string => `0x${n.toString(16).padStart(8, '0').padEnd(n_digits, '5')}`
const digits = { polymarket_markets: 0, polymarket_trades: 64, polymarket_activity: 40 }

function entryOf({ source, dataset, n, perUnit, until }: File, nth: number): Coverage {
  const key = source === 'polymarket_markets' ? '' : keyOf(nth, digits[source])
  const isDone = source === 'polymarket_markets' || (source === 'polymarket_trades' && nth % 2 === 0)
  const n_rows = source === 'polymarket_markets' ? n : perUnit
  const name = key === '' ? new Date(until / 1_000).toISOString().slice(0, 16).replace(':', '') : key
  const span = { from_at: key === '' ? until : 0, to_at: isDone ? null : until, from_block: null, to_block: null }
  return {
    dataset,
    unit: `${source}/${venue}/${name}`,
    part: venue,
    key,
    precedence: 10,
    state: isDone ? 'done' : 'head',
    ...span,
    n_rows,
    n_read: n_rows,
    n_rejected: 0,
    digest: null,
    asked: ['polymarket_data'],
    verified: [],
    proof: `v2, cursors followed to their end: ${n_rows} rows`,
    reason: null,
    reason_code: null,
    gaps: null,
    resume: null,
    upstream_at: null,
    checked_at: until,
    source,
  }
}

const key = (n: string, n_digits: number): string => `'0x' || rpad(printf('%08x', ${n}), ${n_digits}, '5')`
const hash = (text: string): string => `'0x' || md5(${text}) || md5('b' || ${text})`

/** The fills of the units of a file. The fill of an account in a market follows from both, so both sides have it. */
const fills = ({ source, perUnit, first, last, until }: File, market: string, account: string): string => `
  select '${venue}' as venue, market || '0' as token_id,
    make_timestamp(${until} - 1 - (market * 7919 + account * 104729) % 8640000 * 1000000) as ts,
    ${hash(`market || ' ' || account`)} as tx, ${key('account', 40)} as trader, 'buy' as side, 0.4 as price, 5 as size,
    0 as seq, '${venue}:' || ${key('market', 64)} as market_id, 'taker' as role, 2 as cash_usd, 0 as fee_usd,
    '${source}' as source, nth
  from (
    select nth, ${market} as market, ${account} as account
    from range(${first}, ${last + 1}) units(nth), range(${perUnit}) kth(k)
  )`

const selects: Record<File['source'], (file: File) => string> = {
  polymarket_trades: (file) => fills(file, 'nth', `(nth + k) % ${file.n}`),
  polymarket_activity: (file) => fills(file, `(nth + ${file.n} - k % ${file.n}) % ${file.n}`, 'nth'),
  polymarket_markets: ({ n, until }) => `
    select '${venue}:' || ${key('i', 64)} as market_id, make_timestamp(${until - 100 * DAY}) as seen_at, '${venue}' as venue,
      '${venue}:' || i as event_id, 'Will market ' || i || ' happen?' as question, ['Yes', 'No'] as labels,
      [i || '0', i || '1'] as token_ids, null as category, []::varchar[] as tags, null as url, 'open' as status,
      true as is_open, seen_at as created_at, null as starts_at, null as starts_by, null as ends_at, null as closed_at,
      'usdc' as collateral, null as taker_fee_rate, null as maker_fee_rate, null as fee_exponent, null as neg_risk_id,
      null as neg_risk_index, 1 as volume_usd, 'polymarket_markets' as source
    from range(${n}) markets(i)`,
}
