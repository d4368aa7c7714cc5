import { DuckDBDataChunk, type DuckDBConnection, type DuckDBValue } from '@duckdb/node-api'

import {
  coverage,
  datasets,
  type Coverage,
  type Dataset,
  type Fill,
  type Market,
  type Quote,
  type Resolution,
} from '#lake/datasets/index.ts'
import type { Micros } from '#time.ts'

import type { ClvInput } from './clv.ts'

export const venue = 'venue'
export const source = 'venue_trades'

/** A world as a source would write it to the lake, apart from the source's name. */
export type LakeRows = {
  markets: Omit<Market, 'source'>[]
  fills: Omit<Fill, 'source'>[]
  quotes: Omit<Quote, 'source'>[]
  resolutions: Omit<Resolution, 'source'>[]
  /** The instants at which the books were observed. */
  observed_at: Micros[]
}

/** The rows of a world. Markets were described as they were created, and their books are one tick of 0.002 wide. */
export function lakeRows({ fills, markets, quotes, observed_at }: ClvInput, seen_at: Micros): LakeRows {
  const events = new Map(fills.map(({ market, event }) => [market, event]))
  return {
    markets: markets.map(({ market, category, n_outcomes, starts_at }) => ({
      market_id: `${venue}:${market}`,
      seen_at,
      venue,
      event_id: `${venue}:${events.get(market) ?? market}`,
      question: `Will ${market} happen?`,
      labels: ['Yes', 'No', 'Neither'].slice(0, n_outcomes),
      token_ids: Array.from({ length: n_outcomes }, (_, outcome) => `${market}:${outcome}`),
      category,
      tags: [],
      url: null,
      status: 'open',
      is_open: true,
      created_at: seen_at,
      starts_at,
      starts_by: starts_at === null ? null : 'starts_at',
      ends_at: null,
      closed_at: null,
      collateral: 'usdc',
      taker_fee_rate: null,
      maker_fee_rate: null,
      fee_exponent: null,
      neg_risk_id: `${venue}:${events.get(market) ?? market}`,
      neg_risk_index: Number(market.split('-')[1]),
      volume_usd: null,
    })),
    fills: fills.map(({ trader, market, outcome, ts, tx, side, price, size, cash, fee, role }) => ({
      venue,
      token_id: `${market}:${outcome}`,
      ts,
      tx,
      trader,
      side,
      price,
      size,
      seq: 0,
      market_id: `${venue}:${market}`,
      role,
      cash_usd: cash,
      fee_usd: fee,
    })),
    quotes: quotes.map(({ market, ts, mid }) => ({
      market_id: `${venue}:${market}`,
      ts,
      period_s: 0,
      venue,
      bid: mid === null ? 100_000n : mid - 1_000n,
      ask: mid === null ? 900_000n : mid + 1_000n,
      last: null,
      size: null,
      volume_24h_usd: null,
      size_24h: null,
      venue_price: null,
      liquidity_usd: null,
    })),
    resolutions: markets.flatMap(({ market, n_outcomes, resolved_at: ts, payout }) =>
      ts === null
        ? []
        : {
            market_id: `${venue}:${market}`,
            ts,
            venue,
            payouts: [payout, 1_000_000n - payout, 0n].slice(0, n_outcomes),
            status: 'resolved',
            tx: null,
          },
    ),
    observed_at,
  }
}

/** Makes the tables of the lake in a database, with the rows in the order in which they are given. */
export async function createLake(connection: DuckDBConnection, rows: LakeRows, as_of: Micros): Promise<void> {
  await connection.run('create schema lake')
  const { observed_at, ...facts } = rows
  const lives = rows.markets.map(({ market_id }) => entry('fills', market_id.slice(venue.length + 1), 0, as_of))
  const looks = observed_at.map((ts) => entry('quotes', '', ts, as_of))
  const filled: Record<string, readonly object[]> = { ...facts, coverage: [...lives, ...looks] }
  for (const dataset of [...Object.values(datasets), coverage])
    await createTable(connection, dataset, filled[dataset.name] ?? [])
}

/** A complete unit of the history of a market, or of one observation of all books. */
const entry = (dataset: string, key: string, from_at: Micros, as_of: Micros): Omit<Coverage, 'source'> => ({
  dataset,
  unit: `${source}/${venue}/${key}${from_at}`,
  part: venue,
  key,
  precedence: 1,
  state: 'head',
  from_at,
  to_at: as_of + 1,
  n_rows: 0,
  n_read: 0,
  n_rejected: 0,
  digest: null,
  asked: [],
  verified: [],
  proof: null,
  reason: null,
  reason_code: null,
  gaps: null,
  resume: null,
  from_block: null,
  to_block: null,
  upstream_at: null,
  checked_at: as_of,
})

async function createTable(connection: DuckDBConnection, dataset: Dataset, rows: readonly object[]): Promise<void> {
  const columns = Object.entries(dataset.columns)
  await connection.run(
    `create table lake.${dataset.name} (${columns.map(([name, { sql }]) => `"${name}" ${sql}`).join(', ')})`,
  )
  const appender = await connection.createAppender(dataset.name, 'lake')
  for (let start = 0; start < rows.length; start += 2048) {
    const part = rows.slice(start, start + 2048).map((row): Record<string, unknown> => ({ ...row, source }))
    const chunk = DuckDBDataChunk.create(
      columns.map(([, { duckdb }]) => duckdb),
      part.length,
    )
    for (const [index, [name, { encode }]] of columns.entries())
      chunk.setColumnValues(
        index,
        part.map((row): DuckDBValue => (row[name] === null ? null : encode(row[name]))),
      )
    appender.appendDataChunk(chunk)
  }
  appender.closeSync()
}
