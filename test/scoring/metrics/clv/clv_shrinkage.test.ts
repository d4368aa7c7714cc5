import { tmpdir } from 'node:os'
import { join } from 'node:path'

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { runFold } from '#models/run_fold.ts'
import { clvShrinkage } from '#scoring/metrics/clv/clv_shrinkage.ts'
import { quantile, shrink, summarize, type EventEdge } from '#scoring/metrics/clv/shrinkage.ts'
import { openDuckDB, withConnection } from '#storage/duckdb.ts'

const event = (edge_points: number, risk_usd = 1): EventEdge => ({ edge_points, risk_usd })
/** Ten events of the same size around a mean, one point to either side. */
const ten = (mean: number): EventEdge[] => Array.from({ length: 10 }, (_, n) => event(mean + (n % 2 === 0 ? 1 : -1)))

describe('one trader', () => {
  test('events weigh what was at risk in them, up to the 95th percentile of the trader’s own', () => {
    // Sorted 1, 1, 2, 96: the percentile lies at place 2.85, hence 2 + 0.85 x 94 = 81.9.
    const { raw_points, n_eff, n_events } = summarize([event(1), event(2, 96), event(3), event(4, 2)])
    expect(n_events).toBe(4)
    expect(raw_points).toBeCloseTo((1 + 2 * 81.9 + 3 + 4 * 2) / (1 + 81.9 + 1 + 2), 12)
    expect(n_eff).toBeCloseTo((1 + 81.9 + 1 + 2) ** 2 / (1 + 81.9 ** 2 + 1 + 4), 12)
  })

  test('the variance of the mean is that of its events', () => {
    // n / (n - 1) sum W^2 (x - raw)^2 / (sum W)^2 = 10/9 x 10/100
    expect(summarize(ten(2))).toEqual({
      n_events: 10,
      n_eff: 10,
      raw_points: 2,
      variance: expect.closeTo(1 / 9, 12),
    })
    expect(summarize([event(2)]).variance).toBeNaN()
  })

  test.each([
    [[5], 5],
    [[3, 1], 2.9],
    [[1, 2, 3], 2.9],
    [Array.from({ length: 21 }, (_, n) => n), 19],
  ])('the percentile of %j is %d', (numbers, expected) => {
    expect(quantile(numbers, 0.95)).toBeCloseTo(expected, 12)
  })
})

describe('all traders', () => {
  test('two far apart, by hand', () => {
    const { population, scores } = shrink([ten(2), ten(-2)]) ?? {}
    // s2 = 10/9, v = 1/9, a = 9; Q = 9 x 4 x 2 = 72, A = 18: tau2 = (72 - 1) / (18 - 162 / 18) = 71/9
    expect(population).toMatchObject({ n_traders: 2, n_pooled: 2 })
    expect(population?.s2).toBeCloseTo(10 / 9, 12)
    expect(population?.tau2).toBeCloseTo(71 / 9, 12)
    expect(population?.mu).toBeCloseTo(0, 12)
    // tau2 / (tau2 + v) = 71/72
    expect(scores?.map(({ clv_points }) => clv_points)).toEqual([
      expect.closeTo(142 / 72, 12),
      expect.closeTo(-142 / 72, 12),
    ])
    expect(scores?.[0]?.se).toBeCloseTo(Math.sqrt((71 / 72) * (1 / 9)), 12)
  })

  test('who has little to show is shrunk the most', () => {
    const { population, scores = [] } = shrink([ten(2), ten(-2), [event(2)]]) ?? {}
    const [first, , third] = scores
    expect(third?.raw_points).toBe(2)
    expect(third?.clv_points).toBeLessThan(first?.clv_points ?? 0)
    expect(third?.clv_points).toBeGreaterThan(population?.mu ?? Infinity)
    expect(third?.se).toBeGreaterThan(first?.se ?? Infinity)
  })

  test('who differ by no more than chance are all alike', () => {
    const { population, scores } = shrink([ten(0.1), ten(-0.1)]) ?? {}
    expect(population?.tau2).toBe(0)
    expect(scores?.map(({ clv_points, se }) => [clv_points, se])).toEqual([
      [population?.mu, 0],
      [population?.mu, 0],
    ])
  })

  test('without anybody who has ten events chance cannot be estimated', () => {
    expect(shrink([ten(1).slice(1), [event(3)]])).toBeUndefined()
    expect(shrink([])).toBeUndefined()
  })

  test('where events do not scatter at all, each is what it is', () => {
    const same = (x: number): EventEdge[] => Array.from({ length: 10 }, () => event(x))
    const scores = (...means: number[]) => shrink(means.map(same))?.scores.map(({ clv_points, se }) => [clv_points, se])
    expect(scores(1, 3)).toEqual([
      [1, 0],
      [3, 0],
    ])
    expect(scores(2, 2)).toEqual([
      [2, 0],
      [2, 0],
    ])
    expect(scores(2)).toEqual([[2, 0]])
  })
})

const arbitraryEvent = fc.record({
  edge_points: fc.double({ min: -50, max: 50, noNaN: true }),
  risk_usd: fc.double({ min: 0.01, max: 1e6, noNaN: true }),
})
const arbitraryTraders = fc.array(fc.array(arbitraryEvent, { minLength: 1, maxLength: 30 }), {
  minLength: 1,
  maxLength: 12,
})

test('a score lies between its own mean and that of all; its error is within both', () => {
  fc.assert(
    fc.property(arbitraryTraders, (traders) => {
      const shrunk = shrink(traders)
      fc.pre(shrunk !== undefined)
      const { mu, s2, tau2 } = shrunk.population
      for (const { clv_points, raw_points, se, n_eff, n_events } of shrunk.scores) {
        const slack = 1e-9 * (1 + Math.abs(raw_points) + Math.abs(mu))
        expect(clv_points).toBeGreaterThanOrEqual(Math.min(raw_points, mu) - slack)
        expect(clv_points).toBeLessThanOrEqual(Math.max(raw_points, mu) + slack)
        expect(se * se).toBeLessThanOrEqual(Math.min(tau2, s2 / n_eff) + slack)
        expect(n_eff).toBeLessThanOrEqual(n_events + 1e-9)
      }
    }),
    { numRuns: 200 },
  )
})

test('it does not matter in what currency the risk is, and points move along', () => {
  fc.assert(
    fc.property(arbitraryTraders, fc.double({ min: -9, max: 9, noNaN: true }), (traders, shift) => {
      const moved = traders.map((events) =>
        events.map(({ edge_points, risk_usd }) => ({ edge_points: edge_points + shift, risk_usd: risk_usd * 100 })),
      )
      const [before, after] = [shrink(traders), shrink(moved)]
      fc.pre(before !== undefined && after !== undefined)
      for (const [index, { clv_points, se }] of before.scores.entries()) {
        expect(after.scores[index]?.clv_points).toBeCloseTo(clv_points + shift, 6)
        expect(after.scores[index]?.se).toBeCloseTo(se, 5)
      }
    }),
    { numRuns: 200 },
  )
})

type Row = { trader: number; kind: string; event: string; close_at: string; edge: number; risk: number }

/** The fold over a table of events, in the order given, on so many threads. */
async function fold(rows: readonly Row[], threads: number) {
  const instance = await openDuckDB({
    threads,
    memory: '500MB',
    scratch: join(tmpdir(), `tapeline-clv-${process.pid}`),
  })
  try {
    return await withConnection(instance, async (connection) => {
      await connection.run(`
        create schema core; create schema metrics;
        create table core.clock as select timestamp '2026-11-20 12:00:00' as as_of;
        create table core.ledger_traders as select range::integer as trader_index, 'trader ' || range as trader from range(40);
        create table metrics.clv_events (trader varchar, kind varchar, event_id varchar, close_at timestamp,
          edge_points decimal(18, 12), risk_usd decimal(38, 6))`)
      const values = rows.map(
        ({ trader, kind, event: id, close_at, edge, risk }) =>
          `('trader ${trader}', '${kind}', '${id}', '${close_at}', ${edge.toFixed(12)}, ${risk.toFixed(6)})`,
      )
      await connection.run(`insert into metrics.clv_events values ${values.join(', ')}`)
      await runFold(instance, clvShrinkage)
      const read = async (table: string) =>
        (await connection.runAndReadAll(`from metrics.${table} order by all`)).getRowObjectsJson()
      return { shrunk: await read('clv_shrunk'), priors: await read('clv_priors') }
    })
  } finally {
    instance.closeSync()
  }
}

describe('the fold', () => {
  const rows: Row[] = Array.from({ length: 1200 }, (_, n) => ({
    trader: (n * 7) % 40,
    kind: n % 3 === 0 ? 'markout_24h' : 'event_start',
    event: `e${n}`,
    close_at: n % 4 === 0 ? '2026-11-01' : n % 4 === 1 ? '2026-09-15' : '2026-01-01',
    edge: 10 * Math.sin(n * n) + ((n * 7) % 5),
    risk: 1 + 100 * Math.abs(Math.cos(n)),
  }))

  test('gives the same digits whatever the order of its input and the number of threads', async () => {
    const first = await fold(rows, 1)
    const shuffled = rows.map((_, n) => rows[(n * 701 + 13) % rows.length] as Row)
    expect(await fold(shuffled, 4)).toEqual(first)
    expect(first.shrunk.length).toBeGreaterThan(100)
  })

  test('scores kinds and windows apart, each as the plain function does', async () => {
    const { shrunk, priors } = await fold(rows, 2)
    expect(priors).toHaveLength(6)
    const reach = { all: '0001', '90d': '2026-08-22 12:00:00', '30d': '2026-10-21 12:00:00' }
    for (const kind of ['event_start', 'markout_24h']) {
      for (const [range, from] of Object.entries(reach)) {
        const own = rows.filter((row) => row.kind === kind && row.close_at > from)
        const traders = [...new Set(own.map(({ trader }) => trader))].toSorted((a, b) => a - b)
        const events = traders.map((trader) =>
          own
            .filter((row) => row.trader === trader)
            .toSorted((a, b) => (a.event < b.event ? -1 : 1))
            .map(({ edge, risk }) => event(Number(edge.toFixed(12)), Number(risk.toFixed(6)))),
        )
        const scores = shrink(events)?.scores ?? []
        const found = shrunk.filter((row) => row['kind'] === kind && row['range'] === range)
        expect(found.map(({ trader_index, clv, se, n_eff }) => [trader_index, clv, se, n_eff])).toEqual(
          scores.map(({ clv_points, se, n_eff }, index) => [traders[index], clv_points, se, n_eff]),
        )
      }
    }
  })
})
