import { parseModel } from '#builder/load.ts'
import { isMart, type Model } from '#builder/model.ts'
import { publish, type PublishSettings } from '#builder/publish.ts'
import type { Fill, Quote } from '#lake/datasets/index.ts'
import type { Lake } from '#lake/lake.ts'
import { loadScoring } from '#scoring/index.ts'
import { lifeOf, market, noon, quote, storeRows } from '#test/lake/fixture.ts'
import type { Micros } from '#time.ts'

export const minute = 60_000_000
export const hour = 60 * minute
/** A trader of the planted scores, whose trades are below 1,000 USD but for the planted one. */
export const sharp = `0x${'ab'.repeat(20)}`

const scored = (name: string, columns: string, sql: string): Model =>
  parseModel('marts', name, `-- Planted.\n-- columns: ${columns}\n${sql}`)

/**
 * The scores of a world with one proven trader, and with usual moves of markets that are small. With `hasMore` a whale
 * has left a token, BTC draws attention and two signals are due for a grade.
 */
const planted = (markets: readonly string[], hasMore: boolean): Model[] => [
  scored(
    'signal_traders',
    `trader; clv_points DECIMAL(18,12), se DOUBLE, confidence DOUBLE, n_trades, threshold_usd, tail_share, tail_shape DOUBLE,
-- tail_scale DOUBLE, archetype`,
    `select '${sharp}' as trader, 3 as clv_points, 1 as se, 0.99 as confidence, 1000 as n_trades, 1000 as threshold_usd,
      0.05 as tail_share, 52 as tail_shape, 18 as tail_scale, 'sharp' as archetype`,
  ),
  scored(
    'signal_markets',
    'market_id; question, symbols VARCHAR[], move_scale DOUBLE, n_hours, median_hour_usd',
    `select 'venue:' || name as market_id, 'Will ' || name || ' happen?' as question, ['BTC'] as symbols,
      0.05 as move_scale, 168 as n_hours, 0 as median_hour_usd
     from (select unnest(string_split('${markets.join()}', ',')) as name)`,
  ),
  scored(
    'signal_swaps',
    'wallet, chain, tx, token, direction; ts, usd, confidence, label, symbol?, archetype, p DOUBLE',
    `select '0xwhale' as wallet, 'base' as chain, '0xexit' as tx, '0xpepe' as token, 'exit' as direction,
      make_timestamp(${noon - 10 * minute}) as ts, 700000 as usd, 0.6 as confidence, 'PEPE' as label, null as symbol,
      'whale' as archetype, ${hasMore ? 1e-7 : 1} as p`,
  ),
  scored(
    'signal_bursts',
    `symbol; ts, n_authors, expected DOUBLE, confidence, p DOUBLE,
-- evidence STRUCT(kind VARCHAR, ref VARCHAR, ts TIMESTAMP, "value" DOUBLE)[]`,
    `select 'BTC' as symbol, make_timestamp(${noon}) as ts, 60 as n_authors, 4.25 as expected, 0.8 as confidence,
      ${hasMore ? 1e-8 : 1} as p,
      [{'kind': 'post', 'ref': 'x:p1', 'ts': make_timestamp(${noon - minute}), 'value': 0.5}] as evidence`,
  ),
  scored(
    'signal_outcomes',
    'id, horizon_s; type, measure, value_before DOUBLE, value_after DOUBLE, is_hit, baseline_rate?, n_baseline',
    `select id, 86400 as horizon_s, 'market' as type, 'mid' as measure, 0.4 as value_before, 0.5 as value_after,
      true as is_hit, 0.5 as baseline_rate, 168 as n_baseline
     from (values ('sig_before'), ('sig_earlier')) as t (id) where ${hasMore}`,
  ),
]

/** The models of the pulse. */
export const pulseModels = async (): Promise<Model[]> =>
  (await loadScoring()).filter((model) => !isMart(model) || model.publication === 'pulse')

export const settingsAt = (models: readonly Model[], asOf: Micros): PublishSettings => ({
  models,
  macros: [],
  columns: {},
  asOf,
  threads: 1,
  memory: '512MB',
  now: () => noon,
})

/** Stores open markets with a book for a day, and publishes the scores. */
export async function plantMarkets(lake: Lake, names: readonly string[], hasMore = false): Promise<void> {
  await storeRows(lake, lifeOf('markets'), {
    markets: names.map((name) => market(name, { seen_at: noon - 30 * hour })),
  })
  for (const name of names) await plantBook(lake, name, [[noon - 24 * hour, 400_000n]])
  await publish(lake, 'scores', settingsAt(planted(names, hasMore), noon))
}

/** Stores the mids of a book, in place of those before. */
export const plantBook = async (
  lake: Lake,
  name: string,
  mids: readonly [at: Micros, mid: bigint][],
): Promise<void> => {
  const rows = mids.map(([ts, mid]): Omit<Quote, 'source'> =>
    quote(name, ts, { bid: mid - 10_000n, ask: mid + 10_000n }),
  )
  await storeRows(lake, { ...lifeOf(name), source: 'venue_quotes' }, { quotes: rows }, { to: noon + 240 * hour })
}

/** Stores the fills of a market, in place of those before. */
export async function plantFills(lake: Lake, name: string, fills: readonly Partial<Fill>[]): Promise<void> {
  const rows = fills.map((fill, seq): Omit<Fill, 'source'> => ({
    venue: 'venue',
    token_id: `${name}-0`,
    ts: noon,
    tx: `t-${name}-${seq}`,
    trader: '0xnobody',
    side: 'buy',
    price: 400_000n,
    size: 1_000_000n,
    seq,
    market_id: `venue:${name}`,
    role: 'taker',
    cash_usd: null,
    fee_usd: null,
    ...fill,
  }))
  await storeRows(lake, { ...lifeOf(name), source: 'venue_trades' }, { fills: rows }, { to: noon + 240 * hour })
}
