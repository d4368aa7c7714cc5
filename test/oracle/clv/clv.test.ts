import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'

import { buildMarts } from '#builder/build.ts'
import type { Model } from '#builder/model.ts'
import type { Unit } from '#lake/units/unit.ts'
import { newLake, storeRows } from '#test/lake/fixture.ts'
import { sized } from '#test/run/sized.ts'
import type { Micros } from '#time.ts'

import type { Fill } from './closes.ts'
import { oracleClv } from './clv.ts'
import { differences } from './differences.ts'
import { lakeRows, source, venue, type LakeRows } from './lake.ts'
import { clvModels, runClv, type Tables } from './models.ts'
import { as_of, worlds } from './worlds.ts'

const hour = 3_600_000_000
const described_at = as_of - 300 * 86_400_000_000

let models: Model[] = []
beforeAll(async () => {
  models = await clvModels()
})

/** Worlds that are the same in every run, with traders of up to 19 scored events of a kind. */
const large = fc
  .sample(worlds({ events: [70, 80], steps: [3_000, 3_000], traders: [5, 6] }), { seed: 5, numRuns: 2 })
  .map((world) => ({ rows: lakeRows(world, described_at), oracle: oracleClv(world) }))

/** The tables of a large world on one thread, made once. */
const made = new Map<LakeRows, Promise<Tables>>()
function tablesOf(rows: LakeRows): Promise<Tables> {
  const tables = made.get(rows) ?? runClv(models, rows, 1)
  made.set(rows, tables)
  return tables
}

describe('closing line value', () => {
  it.each(large)('is that of the oracle in large world %#', async ({ rows, oracle }) => {
    expect(differences(await tablesOf(rows), oracle)).toEqual([])
  })

  it('is that of the oracle in any world', async () => {
    await fc.assert(
      fc.asyncProperty(worlds({ events: [1, 20], steps: [20, 350], traders: [2, 4] }), async (world) => {
        const tables = await runClv(models, lakeRows(world, described_at))
        expect(differences(tables, oracleClv(world))).toEqual([])
      }),
      { numRuns: sized(3, 5, 8) },
    )
  })

  it('is compared where it matters', () => {
    const reasons = large.flatMap(({ oracle }) => oracle.fills.map(({ kind, left_out }) => `${kind} ${left_out}`))
    const each = ['null', 'in_play', 'extreme', 'no_close', 'self']
    const wanted = ['event_start start', ...each.flatMap((why) => [`event_start ${why}`, `markout_24h ${why}`])]
    for (const reason of wanted) expect(reasons.filter((one) => one === reason).length).toBeGreaterThan(50)

    const scores = large.flatMap(({ oracle }) => oracle.scores)
    const tau2 = scores.flatMap(({ population }) => population?.traders.map((each) => each.tau2) ?? [])
    for (const range of ['30d', '90d', 'all'])
      for (const kind of ['event_start', 'markout_24h'])
        expect(scores.some((one) => one.range === range && one.kind === kind && one.population !== null)).toBe(true)
    expect(tau2.filter((one) => one > 1).length).toBeGreaterThan(3)
  })
})

describe('a torn tape', () => {
  const start = as_of - 86_400_000_000
  const fill: Fill = {
    trader: 'a',
    event: 'e0',
    market: 'm0-0',
    outcome: 0,
    ts: start - hour,
    tx: '0x1',
    side: 'buy',
    price: 500_000n,
    size: 100_000_000n,
    cash: 50_000_000n,
    fee: 0n,
    role: 'taker',
  }
  const taken = { ...fill, trader: 'z', ts: start, tx: '0x2', size: 1_000_000_000n, cash: 900_000_000n }
  const market = {
    market: 'm0-0',
    category: null,
    n_outcomes: 2,
    starts_at: start,
    resolved_at: null,
    payout: 0n,
  }
  const quotes = [{ market: 'm0-0', ts: start, mid: 870_000n }]

  it.each([
    ['all', 1_000_000_000n, 500_000_000n],
    ['nearly all', 999_000_000n, 100_000_000n],
    ['more than all', 1_200_000_000n, 100_000_000n],
  ])('whose taker is missing has the midpoint where its maker made %s of what others took', async (_, size, cash) => {
    const made: Fill = { ...taken, trader: 'a', tx: '0x3', role: 'maker', size, cash }
    const world = { fills: [fill, taken, made], markets: [market], quotes, observed_at: [], as_of }
    const { fills } = await runClv(models, lakeRows(world, described_at))
    const scored = fills.filter(
      ({ kind, trader, left_out }) => kind === 'event_start' && trader === 'a' && left_out === null,
    )
    expect(scored.map((row) => row['close_price'])).toEqual(['0.870000'])
  })
})

describe('not a digit changes', () => {
  it.each(large)('with more threads and rows in another order: large world %#', async ({ rows }) => {
    const shuffled = {
      markets: rows.markets.toReversed(),
      fills: rows.fills.toSorted((a, b) => hash(a.tx + a.trader) - hash(b.tx + b.trader)),
      quotes: rows.quotes.toSorted((a, b) => hash(String(a.ts)) - hash(String(b.ts))),
      resolutions: rows.resolutions.toReversed(),
      observed_at: rows.observed_at.toReversed(),
    }
    expect(await runClv(models, shuffled, 2)).toStrictEqual(await tablesOf(rows))
  })

  it('with the lives of markets as units, or the hours of a feed', async () => {
    const { events, steps, seed } = sized({ events: 20, steps: 350, seed: 10 }, { events: 30, steps: 600, seed: 3 })
    const size = worlds({ events: [events, events], steps: [steps, steps], traders: [2, 2] })
    const [small] = fc.sample(size, { seed, numRuns: 1 })
    if (small === undefined) throw new Error('there is no world')
    // A feed names its traders.
    const named = { ...small, fills: small.fills.filter(({ trader }) => trader !== '') }
    expect(oracleClv(named).scores.some(({ traders }) => traders.length > 0)).toBe(true)
    const rows = lakeRows(named, described_at)
    expect(await build(hoursOf(rows), 2)).toEqual(await build(livesOf(rows), 1))
  })
})

const hash = (text: string): number => createHash('md5').update(text).digest().readUInt32BE()

type Stored = { unit: Unit; rows: Partial<Omit<LakeRows, 'observed_at'>> }

const unitOf = (kind: Unit['kind'], key: string, from = 0): Unit => ({
  source: `${source}_${kind}`,
  kind,
  part: venue,
  key,
  from,
  to: kind === 'hour' ? from + hour : null,
  params: [],
})

/** Each market with all that is known of it. */
function livesOf(rows: LakeRows): Stored[] {
  return rows.markets.map((market) => {
    const own = <T extends { market_id: string | null }>(list: readonly T[]): T[] =>
      list.filter(({ market_id }) => market_id === market.market_id)
    return {
      unit: unitOf('history', market.market_id.slice(venue.length + 1)),
      rows: {
        markets: [market],
        fills: own(rows.fills).toReversed(),
        quotes: own(rows.quotes),
        resolutions: own(rows.resolutions),
      },
    }
  })
}

/** The same rows, but the fills of every third market as the hours of a feed, and what is not a fill all at once. */
function hoursOf({ observed_at: _observed_at, fills: all, ...facts }: LakeRows): Stored[] {
  const hours = new Map<Micros, LakeRows['fills']>()
  const lives = facts.markets.flatMap(({ market_id }, i): Stored[] => {
    const fills = all.filter((fill) => fill.market_id === market_id)
    if (i % 3 > 0) return [{ unit: unitOf('history', market_id.slice(venue.length + 1)), rows: { fills } }]
    for (const fill of fills) {
      const from = Math.floor(fill.ts / hour) * hour
      hours.set(from, [...(hours.get(from) ?? []), fill])
    }
    return []
  })
  const feed = [...hours].map(([from, fills]) => ({ unit: unitOf('hour', '', from), rows: { fills } }))
  return [{ unit: unitOf('observation', '', described_at), rows: facts }, ...lives, ...feed]
}

/** Stores units and builds from them; returns the bytes of what was derived, as their hashes. */
async function build(units: Stored[], threads: number): Promise<string[]> {
  const lake = await newLake()
  for (const { unit, rows } of units) await storeRows(lake, unit, rows, { to: unit.to ?? as_of + 1 })
  const { derived } = await buildMarts(lake, 'scores', {
    models,
    asOf: as_of,
    threads,
    memory: '512MB',
    now: () => as_of,
  })
  return Promise.all(
    ['clv_edges', 'clv_clusters', 'clv_populations', 'clv', 'clv_scores', 'clv_guards'].map(async (table) => {
      const bytes = await readFile(join(lake.home, derived, 'metrics', `${table}.parquet`))
      return `${table} ${bytes.length} ${createHash('sha256').update(bytes).digest('hex')}`
    }),
  )
}
