import type { DuckDBConnection } from '@duckdb/node-api'

import type { World } from '#sim/markets/types.ts'

import { load } from './load.ts'

/**
 * Makes `planted_people` (what each trader was made to be) and `planted_fills`: the edge that a fill was made to have,
 * in percentage points. Nobody has an edge but by the price they got: fair prices are martingales, so that the expected
 * close is the fair price of the fill, whatever the close's time.
 *
 * An order's edge is its taker's advantage, which towards 0 and 1 shrinks with p (1 - p); the noise and the rounding of
 * its price are luck. The makers of its match have the opposite of it and of the fee that the taker paid. Arbitrageurs
 * and converters set prices of their own: there it is the fair price less the price paid, as it happened. So it is of
 * all fills of a hard world, with the price that the taker expects, `expected`, in place of the fair one.
 */
export async function loadPlanted(connection: DuckDBConnection, world: World, isHard = false): Promise<void> {
  const { fills, matches, traders } = world
  await load(connection, 'planted_people', {
    trader: ['varchar', traders.map(({ wallet }) => wallet)],
    archetype: ['varchar', traders.map(({ archetype }) => archetype)],
    edge: ['double', traders.map(({ edge }) => edge)],
    partner: ['integer', traders.map(({ partner }) => partner)],
  })
  const rows = Array.from({ length: fills.length }, (_, row) => row).filter(
    (row) => (matches.market[fills.match[row] ?? 0] ?? -1) >= 0 && (fills.trader[row] ?? -1) >= 0,
  )
  await load(connection, 'planted_edges', {
    fill: ['integer', rows],
    edge: ['double', rows.map((row) => (isHard ? expectedEdge(world, row) : edgeOf(world, row)))],
    expected: ['double', rows.map((row) => matches.expected[fills.match[row] ?? 0] ?? 0)],
  })
  // Scoring numbers fills anew: they are found again by what they are. Rows that are alike have one edge.
  await connection.run(`create temp table planted_fills as
    select f.trader, f.tx, f.market_id, o.outcome, f.side, f.size, any_value(p.edge) as edge,
      any_value(p.expected) as expected
    from lake.fills f
    join planted_edges p on p.fill = f.seq
    join core.outcomes o on o.market_id = f.market_id and o.token_id = f.token_id
    group by all`)
}

/** Makes `planted_prices`: the price of outcome 0 at each whole hour, and the belief, its price by news alone. */
export const loadPrices = (connection: DuckDBConnection, { markets, prices }: World): Promise<void> =>
  load(connection, 'planted_prices', {
    market_id: ['varchar', prices.market.map((market) => `polymarket:${markets[market]?.conditionId}`)],
    ts_s: ['integer', prices.ts_s],
    fair: ['double', prices.fair],
    believed: ['double', prices.believed],
  })

function edgeOf(world: World, row: number): number {
  const { fills, matches, traders, markets } = world
  const match = fills.match[row] ?? 0
  const fair = matches.fair[match] ?? 0
  const taker = traders[fills.trader[matches.firstFill[match] ?? 0] ?? -1]
  if (taker === undefined || taker.archetype === 'arbitrageur' || taker.isConverter) {
    return asItHappened(world, row, fills.outcome[row] === 0 ? fair : 1 - fair)
  }
  const spread = fair * (1 - fair)
  const advantage = taker.edge * Math.min(1, 5 * spread)
  const fee = 100 * (markets[matches.market[match] ?? -1]?.feeRate ?? 0) * spread
  return fills.isTaker[row] === 1 ? advantage : -advantage - fee
}

function expectedEdge(world: World, row: number): number {
  const expected = world.matches.expected[world.fills.match[row] ?? 0] ?? 0
  return asItHappened(world, row, world.fills.outcome[row] === 0 ? expected : 1 - expected)
}

function asItHappened({ fills }: World, row: number, fair: number): number {
  const [size, cash, fee] = [fills.size[row] ?? 0, fills.cash[row] ?? 0, fills.fee[row] ?? 0]
  return 100 * (fills.side[row] === 0 ? fair - (cash + fee) / size : (cash - fee) / size - fair)
}

/** The tables that every comparison with what was planted reads. */
export const judgedTables = [
  'metrics.clv_fills',
  'metrics.clv',
  'metrics.clv_scores',
  'metrics.trader_traits',
  'metrics.clv_guards',
]

/**
 * What the closing line value of each trader and kind was made to be, of all time: the planted edges of the scored
 * fills, weighted as the score weighs them. Columns: trader, kind, planted.
 */
export const plantedScores = `
  with clusters as (
    select
      f.trader,
      f.kind,
      f.category,
      f.close_at::date as day,
      sum(p.edge * f.risk_usd::double) / sum(f.risk_usd::double) as edge,
      sum(f.risk_usd::double) as risk
    from metrics.clv_fills f
    join planted_fills p using (trader, tx, market_id, outcome, side, size)
    where f.left_out is null
    group by f.trader, f.kind, f.category, f.close_at::date
    having sum(f.risk_usd) > 0
  ),
  caps as (select trader, kind, quantile_cont(risk, 0.95) as cap from clusters group by trader, kind)
  select trader, kind, sum(edge * least(risk, cap)) / sum(least(risk, cap)) as planted
  from clusters join caps using (trader, kind)
  group by trader, kind`
