import type { DuckDBConnection } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { createWorld } from '#sim/markets/world.ts'

import { openScores, replacing, type Faulty, type Mutation, type Scores } from './build.ts'

const world = createWorld({ seed: 21, scale: 0.15 })
const at = world.now

type Faults = Pick<Faulty, 'mutate' | 'tamper'>

/** The scores of the world as it is, and those of a lake with changed rows: each keeps the tables of its last call. */
let opened: { clean: Scores; tampered: Scores }
beforeAll(async () => {
  const open = (): Promise<Scores> => openScores({ world, at, threads: 1 })
  opened = { clean: await open(), tampered: await open() }
})
afterAll(() => {
  opened.clean.close()
  opened.tampered.close()
})

const rowsOf = async (connection: DuckDBConnection, sql: string): Promise<unknown[][]> =>
  (await connection.runAndReadAll(sql)).getRowsJson()
const score = async (wanted: string, sql: string, faults: Faults = {}): Promise<unknown[][]> => {
  const { make } = faults.tamper === undefined ? opened.clean : opened.tampered
  return rowsOf(await make({ wanted: [wanted], ...faults }), sql)
}
/** Both of two mutations. */
const both =
  (first: Mutation, second: Mutation): Mutation =>
  (model) =>
    second(first(model))

/** The guards that do not hold; one of too few markets says nothing. */
const broken = (faults: Faults = {}) =>
  score('metrics.clv_guards', 'select kind from metrics.clv_guards where not is_held order by all', faults)

describe('the guards', () => {
  test('hold where nothing is wrong', async () => {
    expect(await broken()).toEqual([])
  })

  const late = replacing(
    'core.closes',
    `starts_at - interval 15 minutes as opens_at,\n    starts_at as close_at,`,
    `starts_at + interval 105 minutes as opens_at,\n    starts_at + interval 2 hours as close_at,`,
  )

  test('find closes that were taken after the start', async () => {
    expect(await broken({ mutate: late })).toContainEqual(['event_start'])
  })

  test('withhold the scores where they do not hold; these would be served if guards were ignored', async () => {
    const sql = 'select count(*) > 0 from metrics.clv_scores where is_trusted'
    const served = (mutate?: Mutation) => score('metrics.clv_scores', sql, mutate === undefined ? {} : { mutate })
    const failing = replacing('metrics.clv_guards', 'f.extreme_share > b.extreme)', 'f.extreme_share >= 0)')
    const ignored = replacing('metrics.clv_scores', 'coalesce(g.is_held, true) as is_trusted', 'true as is_trusted')
    const found = [await served(), await served(failing), await served(both(failing, ignored))]
    expect(found).toEqual([[[true]], [[false]], [[true]]])
  })
})

describe('settlement points', () => {
  /** Every hour of a time a market is traded at its payout: what a venue's own series ends with. */
  const settle =
    (from: string, to: string) =>
    async (connection: DuckDBConnection): Promise<void> => {
      await connection.run(`insert into lake.fills by name
        select 'polymarket' as venue, m.token_ids[1] as token_id, h.ts, 'settled' || h.ts as tx, '0xsettler' as trader,
          'buy' as side, r.payouts[1] as price, 1000000 as size, 0 as seq, m.market_id, 'taker' as role,
          1000000 * r.payouts[1] as cash_usd, 0 as fee_usd, 'world' as source
        from lake.markets m
        join lake.resolutions r on r.market_id = m.market_id
        cross join lateral (select unnest(range(${from}, least(${to}, make_timestamp(${at})), interval 1 hour)) as ts) h`)
    }
  const afterwards = settle('r.ts', 'r.ts + interval 48 hours')
  const closes = (faults: Faults) =>
    score(
      'metrics.clv_fills',
      `select trader, kind, ts, seq, market_id, close_price, left_out from metrics.clv_fills
       where trader <> '0xsettler' and kind = 'markout_24h' order by all`,
      faults,
    )

  test('move no close; they would if they were let in', async () => {
    const clean = await closes({})
    expect(clean.length).toBeGreaterThan(5000)
    expect(await closes({ tamper: afterwards })).toEqual(clean)
    const mutate = both(
      replacing('core.prints', 'k.resolved_at is null or t.ts < k.resolved_at', 'true'),
      replacing(
        'core.markouts',
        'least(f.ts + interval 25 hours, m.resolved_at) as ends_at',
        'f.ts + interval 25 hours as ends_at',
      ),
    )
    expect(await closes({ tamper: afterwards, mutate })).not.toEqual(clean)
  })

  test('trip the guards where they come before the resolution, and nobody can separate them from trades', async () => {
    const tamper = settle('m.created_at + (r.ts - m.created_at) / 2', 'r.ts')
    expect(await broken({ tamper })).toContainEqual(['markout_24h'])
  })
})

describe('a trader’s own trades', () => {
  /** Of those that only took in the windows of scheduled starts, and made nobody's price, the one that took most. */
  const busiest = world.traders[takerInWindows()]?.wallet ?? ''
  /** Takes out of the lake every match that the trader was in there. */
  const tamper = async (connection: DuckDBConnection): Promise<void> => {
    await connection.run(`delete from lake.fills where (tx, market_id) in (
      select f.tx, f.market_id from lake.fills f join lake.markets m on m.market_id = f.market_id
      where f.trader = '${busiest}' and f.ts >= m.starts_at - interval 15 minutes and f.ts <= m.starts_at)`)
  }
  const closes = (faults: Faults) =>
    score(
      'metrics.clv_fills',
      `select market_id, outcome, ts, close_price from metrics.clv_fills
       where trader = '${busiest}' and kind = 'event_start' and left_out is null order by all`,
      faults,
    )

  test('do not move the closes by which the trader is judged', async () => {
    const [clean, without] = [await closes({}), await closes({ tamper })]
    expect(clean.length).toBeGreaterThan(20)
    expect(without).toEqual(clean)
  })

  test('would be found out if they did', async () => {
    const mutate = replacing('metrics.clv_edges', 'from core.close_shares', 'from core.close_shares where false')
    expect(await closes({ tamper, mutate })).not.toEqual(await closes({ mutate }))
  })
})

describe('events of one day and category', () => {
  const counts = (faults: Faults = {}) =>
    score('metrics.clv', `select trader, kind, n_clusters from metrics.clv where range = 'all' order by all`, faults)
  /** On how many days of which categories of the world each trader has scored fills. */
  const true_ = async () => {
    const categoryOf = new Map(
      world.markets.map(({ conditionId, event }) => [`polymarket:${conditionId}`, world.events[event]?.category]),
    )
    const rows = await score(
      'metrics.clv_fills',
      `select distinct trader, kind, market_id, close_at::date::varchar from metrics.clv_fills where left_out is null`,
    )
    const clusters = new Map<string, Set<string>>()
    for (const [trader, kind, market, day] of rows) {
      const key = [trader, kind].join()
      clusters.set(key, (clusters.get(key) ?? new Set()).add([categoryOf.get(String(market)), day].join()))
    }
    return clusters
  }
  const wrong = async (faults: Faults = {}) => {
    const clusters = await true_()
    const rows = await counts(faults)
    expect(rows).toHaveLength(clusters.size)
    return rows.filter(([trader, kind, n]) => Number(n) !== clusters.get([trader, kind].join())?.size)
  }

  test('are one observation', async () => {
    expect(await wrong()).toEqual([])
  })

  test('would be found out if each counted', async () => {
    const mutate = replacing('metrics.clv_edges', "coalesce(m.category, '') as category", 'f.event_id as category')
    expect(await wrong({ mutate })).not.toEqual([])
  })
})

function takerInWindows(): number {
  const { fills, matches, markets, events, traders } = world
  const taken = traders.map(() => 0)
  for (let row = 0; row < fills.length; row++) {
    const match = fills.match[row] ?? 0
    const trader = fills.trader[row] ?? -1
    const starts_s = events[markets[matches.market[match] ?? -1]?.event ?? -1]?.startsAt_s ?? Infinity
    const early_s = starts_s - (matches.ts_s[match] ?? 0)
    if (trader < 0 || early_s < 0 || early_s > 900) continue
    taken[trader] = fills.isTaker[row] === 1 ? (taken[trader] ?? 0) + 1 : -Infinity
  }
  return taken.indexOf(Math.max(...taken))
}
