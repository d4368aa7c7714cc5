import type { DuckDBConnection } from '@duckdb/node-api'

import { coverage, datasets, quarantine } from '#lake/datasets/index.ts'
import { systemAddresses, type Market, type World } from '#sim/markets/types.ts'
import { txHash } from '#sim/markets/world.ts'
import type { Micros } from '#time.ts'

import { load } from './load.ts'

/** Makes the tables of schema `lake` as a complete reading of a world up to an instant would, without the wire. */
export async function createLake(connection: DuckDBConnection, world: World, at: Micros): Promise<void> {
  for (const { name, columns } of [...Object.values(datasets), coverage, quarantine]) {
    const types = Object.entries(columns).map(([column, { sql }]) => `"${column}" ${sql}`)
    await connection.run(`create table lake.${name} (${types.join(', ')})`)
  }
  await load(connection, 'tokens', {
    market: ['integer', world.markets.map(({ index }) => index)],
    first: ['varchar', world.markets.map(({ tokenIds }) => tokenIds[0])],
    second: ['varchar', world.markets.map(({ tokenIds }) => tokenIds[1])],
    market_id: ['varchar', world.markets.map(idOf)],
  })
  const addresses = [...systemAddresses].toReversed()
  await load(connection, 'wallets', {
    trader: ['integer', [...addresses.map((_, i) => i - addresses.length), ...world.traders.map(({ index }) => index)]],
    wallet: ['varchar', [...addresses, ...world.traders.map(({ wallet }) => wallet)]],
  })
  await loadMarkets(connection, world, at)
  await loadFills(connection, world, at)
  await loadActivity(connection, world, at)
  await loadQuotes(connection, world, at)
  await connection.run(`insert into lake.coverage by name
    select dataset, dataset as unit, 'polymarket' as part, '' as key, 10 as precedence, 'done' as state,
      timestamp '1970-01-01' as from_at, timestamp '2100-01-01' as to_at, 1 as n_rows, 'world' as source,
      timestamp '2100-01-01' as checked_at
    from (values ('fills'), ('markets'), ('resolutions'), ('quotes')) as t (dataset)`)
}

const idOf = ({ conditionId }: Market): string => `polymarket:${conditionId}`

async function loadMarkets(connection: DuckDBConnection, world: World, at: Micros): Promise<void> {
  const known = world.markets.filter(({ createdAt_s }) => createdAt_s * 1e6 <= at)
  await load(connection, 'described', {
    market_id: ['varchar', known.map(idOf)],
    event_id: ['varchar', known.map(({ event }) => `polymarket:${world.events[event]?.id}`)],
    question: ['varchar', known.map(({ question }) => question)],
    category: ['varchar', known.map(({ event }) => world.events[event]?.category ?? null)],
    first_label: ['varchar', known.map(({ labels }) => labels[0])],
    second_label: ['varchar', known.map(({ labels }) => labels[1])],
    first_token: ['varchar', known.map(({ tokenIds }) => tokenIds[0])],
    second_token: ['varchar', known.map(({ tokenIds }) => tokenIds[1])],
    created_s: ['double', known.map(({ createdAt_s }) => createdAt_s)],
    starts_s: ['double', known.map(({ event }) => world.events[event]?.startsAt_s ?? null)],
    starts_by: ['varchar', known.map(({ event }) => world.events[event]?.startsBy ?? null)],
    closed_s: ['double', known.map(({ closedAt_s }) => closedAt_s)],
    fee_rate: ['double', known.map(({ feeRate }) => feeRate)],
    neg_risk_id: ['varchar', known.map(({ event }) => world.events[event]?.negRiskId || null)],
    neg_risk_index: ['integer', known.map(({ negRiskIndex }) => (negRiskIndex < 0 ? null : negRiskIndex))],
    resolved_s: ['double', known.map(({ resolvedAt_s, payouts }) => (payouts === null ? null : resolvedAt_s))],
    first_payout: ['integer', known.map(({ payouts }) => payouts?.[0] ?? null)],
    second_payout: ['integer', known.map(({ payouts }) => payouts?.[1] ?? null)],
  })
  await connection.run(`insert into lake.markets by name
    select market_id, make_timestamp((created_s * 1e6)::bigint) as seen_at, 'polymarket' as venue, event_id, question, category,
      [first_label, second_label] as labels, [first_token, second_token] as token_ids, []::varchar[] as tags,
      'open' as status, true as is_open, make_timestamp((created_s * 1e6)::bigint) as created_at,
      make_timestamp((starts_s * 1e6)::bigint) as starts_at, starts_by,
      make_timestamp((closed_s * 1e6)::bigint) as closed_at, 'pUSD' as collateral, fee_rate as taker_fee_rate,
      neg_risk_id, neg_risk_index, 'world' as source
    from described`)
  await connection.run(`insert into lake.resolutions by name
    select market_id, make_timestamp((resolved_s * 1e6)::bigint) as ts, 'polymarket' as venue,
      [first_payout * 0.000001, second_payout * 0.000001] as payouts, 'resolved' as status, 'world' as source
    from described where resolved_s * 1e6 <= ${at}`)
}

/** Both sides of every match, with roles, cash and fees as they were; combos, which no market has, are left out. */
async function loadFills(connection: DuckDBConnection, world: World, at: Micros): Promise<void> {
  const { fills, matches } = world
  const rows = Array.from({ length: fills.length }, (_, row) => row).filter((row) => {
    const match = fills.match[row] ?? 0
    return (matches.ts_s[match] ?? 0) * 1e6 <= at && (matches.market[match] ?? -1) >= 0
  })
  const ofMatch = (of: (match: number) => number | undefined) => rows.map((row) => of(fills.match[row] ?? 0) ?? 0)
  const whole = (column: Float64Array) => rows.map((row) => BigInt(column[row] ?? 0))
  await load(connection, 'filled', {
    fill: ['integer', rows],
    market: ['integer', ofMatch((match) => matches.market[match])],
    ts_s: ['double', ofMatch((match) => matches.ts_s[match])],
    tx: ['integer', ofMatch((match) => matches.tx[match])],
    trader: ['integer', rows.map((row) => fills.trader[row] ?? 0)],
    outcome: ['integer', rows.map((row) => fills.outcome[row] ?? 0)],
    is_sale: ['integer', rows.map((row) => fills.side[row] ?? 0)],
    is_taker: ['integer', rows.map((row) => fills.isTaker[row] ?? 0)],
    size: ['bigint', whole(fills.size)],
    cash: ['bigint', whole(fills.cash)],
    fee: ['bigint', whole(fills.fee)],
  })
  await connection.run(`insert into lake.fills by name
    select 'polymarket' as venue, case outcome when 0 then first else second end as token_id, make_timestamp((ts_s * 1e6)::bigint) as ts,
      'tx' || tx as tx, wallet as trader, case is_sale when 0 then 'buy' else 'sell' end as side,
      round(cash / size, 6)::decimal(9, 6) as price, size * 0.000001 as size, fill as seq, market_id,
      case is_taker when 1 then 'taker' else 'maker' end as role, cash * 0.000001 as cash_usd,
      fee * 0.000001 as fee_usd, 'world' as source
    from filled join tokens using (market) join wallets using (trader)`)
}

/** The venue does not show the shares of a redemption. */
async function loadActivity(connection: DuckDBConnection, world: World, at: Micros): Promise<void> {
  const kinds = { SPLIT: 'split', MERGE: 'merge', REDEEM: 'redeem', CONVERSION: 'convert' } as Record<string, string>
  const rows = world.activity.filter(({ ts_s, kind }) => ts_s * 1e6 <= at && kinds[kind] !== undefined)
  await load(connection, 'moved', {
    ordinal: ['integer', rows.map((_, ordinal) => ordinal)],
    trader: ['varchar', rows.map(({ trader }) => world.traders[trader]?.wallet ?? '')],
    ts_s: ['double', rows.map(({ ts_s }) => ts_s)],
    tx: ['varchar', rows.map(({ tx }) => txHash(world, tx))],
    kind: ['varchar', rows.map(({ kind }) => kinds[kind] ?? '')],
    market_id: ['varchar', rows.map(({ market }) => (market < 0 ? '' : idOf(marketOf(world, market))))],
    size: ['bigint', rows.map(({ size }) => BigInt(size))],
    cash: ['bigint', rows.map(({ cash }) => BigInt(cash))],
    neg_risk_id: ['varchar', rows.map(({ event }) => world.events[event]?.negRiskId || null)],
    index_set: ['varchar', rows.map(({ kind, indexSet }) => (kind === 'CONVERSION' ? String(indexSet) : null))],
  })
  await connection.run(`insert into lake.activity by name
    select 'polymarket' as venue, trader, make_timestamp((ts_s * 1e6)::bigint) as ts, tx, kind, market_id,
      '' as token_id, ordinal as seq, if(kind = 'redeem', null, size * 0.000001) as size, cash * 0.000001 as cash_usd,
      neg_risk_id, index_set, 'world' as source
    from moved`)
}

/** The venue makes its grid finer there. */
const isExtreme = (price: number): boolean => price < 0.04 || price > 0.96

/** The book of each market at each whole hour, as an installation records it that followed the venue all the time. */
async function loadQuotes(connection: DuckDBConnection, world: World, at: Micros): Promise<void> {
  const { prices, markets } = world
  const rows = prices.ts_s.flatMap((ts_s, row) => {
    const market = markets[prices.market[row] ?? -1]
    return market === undefined || ts_s * 1e6 > at ? [] : [{ row, market }]
  })
  await load(connection, 'quoted', {
    market_id: ['varchar', rows.map(({ market }) => idOf(market))],
    ts_s: ['double', rows.map(({ row }) => prices.ts_s[row] ?? 0)],
    fair: ['double', rows.map(({ row }) => 1e6 * (prices.fair[row] ?? 0))],
    grid: ['integer', rows.map(({ row, market }) => (isExtreme(prices.fair[row] ?? 0) ? 1000 : market.tick))],
    half: ['integer', rows.map(({ market }) => market.bookHalf)],
  })
  // The book is the two prices of the grid around the fair one, or wider. At 0 there is no bid, and at 1 no ask.
  await connection.run(`insert into lake.quotes by name
    select market_id, make_timestamp((ts_s * 1e6)::bigint) as ts, 0 as period_s, 'polymarket' as venue,
      nullif(low * grid / 1e6, 0) as bid, nullif(least(high * grid / 1e6, 1), 1) as ask, 'world' as source
    from (
      select *, greatest(0, least(floor((fair - half) / grid), 1e6 / grid - 1)) as low,
        greatest(low + 1, ceil((fair + half) / grid)) as high
      from quoted
    )`)
}

function marketOf(world: World, index: number): Market {
  const market = world.markets[index]
  if (market === undefined) throw new RangeError(`the world has no market ${index}`)
  return market
}
