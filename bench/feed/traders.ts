import { setTimeout as sleep } from 'node:timers/promises'

import { parseModel } from '#builder/load.ts'
import type { Model } from '#builder/model.ts'
import { publish } from '#builder/publish.ts'
import { LeaseHeld } from '#lake/catalog/lease.ts'
import type { Live } from '#test/pipeline/live.ts'
import { machineClock } from '#time.ts'

/**
 * Publishes scores in which all given traders and further ones, `n` together, are proven. The threshold of each lies
 * far below any trade, so that each trade is unlikely. Assets and wallets on chains are tested beside them, without an
 * event.
 */
export async function publishTraders(
  { pipeline, upstream }: Live,
  wallets: readonly string[],
  n: number,
): Promise<void> {
  const models = [tradersOf(wallets, n), markets, bursts, swaps, outcomes]
  const given = { models, macros: [], columns: {}, threads: 2, memory: '2GB', now: machineClock }
  for (;;) {
    try {
      await publish(pipeline.lake, 'scores', { ...given, asOf: upstream.clock() })
      return
    } catch (error) {
      // The schedule publishes scores as the follow begins, and then not within the time of the benchmark.
      if (!(error instanceof LeaseHeld)) throw error
      await sleep(500)
    }
  }
}

const mart = (name: string, columns: string, sql: string): Model =>
  parseModel('marts', name, `-- For the benchmark.\n-- columns: ${columns}\n${sql}`)

const tradersOf = (wallets: readonly string[], n: number): Model =>
  mart(
    'signal_traders',
    `trader; clv_points DECIMAL(18,12), se DOUBLE, confidence DOUBLE, n_trades, threshold_usd, tail_share, tail_shape DOUBLE,
-- tail_scale DOUBLE, archetype`,
    `select trader, 3 as clv_points, 1 as se, 0.99 as confidence, 1000 as n_trades, 0.000001 as threshold_usd, 0.05 as tail_share,
      52 as tail_shape, 10 as tail_scale, 'sharp' as archetype
    from (
      select unnest(string_split('${wallets.join()}', ',')) as trader
      union
      select '0xother' || i from range(${Math.max(0, n - wallets.length)}) r (i)
    )`,
  )

const markets = mart(
  'signal_markets',
  'market_id; question, symbols VARCHAR[], move_scale DOUBLE, n_hours, median_hour_usd',
  `select 'v:' || i as market_id, 'Q' as question, []::varchar[] as symbols, 0.05 as move_scale, 168 as n_hours,
    0 as median_hour_usd
  from range(1000) r (i)`,
)

const bursts = mart(
  'signal_bursts',
  `symbol; ts, n_authors, expected DOUBLE, confidence, p DOUBLE,
-- evidence STRUCT(kind VARCHAR, ref VARCHAR, ts TIMESTAMP, "value" DOUBLE)[]`,
  `select 'A' || i as symbol, c.as_of as ts, 0 as n_authors, 0 as expected, 0 as confidence, 1 as p, [] as evidence
  from range(300) r (i) cross join core.clock c`,
)

const swaps = mart(
  'signal_swaps',
  'wallet, chain, tx, token, direction; ts, usd, confidence, label, symbol?, archetype, p DOUBLE',
  `select '0x' || i as wallet, 'base' as chain, 't' || i as tx, 'x' as token, 'entry' as direction, c.as_of as ts, 10 as usd,
    0.9 as confidence, 'X' as label, null as symbol, 'whale' as archetype, 1 as p
  from range(10000) r (i) cross join core.clock c`,
)

const outcomes = mart(
  'signal_outcomes',
  'id, horizon_s; type, measure, value_before DOUBLE, value_after DOUBLE, is_hit, baseline_rate?, n_baseline',
  `select '' as id, 0 as horizon_s, '' as type, '' as measure, 0 as value_before, 0 as value_after, false as is_hit,
    null as baseline_rate, 0 as n_baseline
  where false`,
)
