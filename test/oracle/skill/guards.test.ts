import { expect, test } from 'vitest'

import type { SqlModel } from '#builder/model.ts'
import { clock, modelOf, runModel, type Given } from '#test/scoring/model.ts'

import { guardsOf } from './guards.ts'
import type { Closed, Market } from './inputs.ts'

const day = 86_400e6
const at = Date.parse(`${clock.replace(' ', 'T')}Z`) * 1_000

/** A venue whose closes are off by a gap and a slope in some of the weeks before the clock. */
type History = { n: number; gap: number; slope: number; from: number; to: number; seed: number }
/** The markets of a history, a fill each; the world of the oracle. */
function marketsOf({ n, gap, slope, from, to, seed }: History): { closed: Closed[]; markets: Map<string, Market> } {
  let state = seed
  const draw = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647
  const markets = new Map<string, Market>()
  const closed = Array.from({ length: n }, (_, i): Closed => {
    const market = `m${String(i).padStart(4, '0')}`
    const age = draw() * 17
    const closeAt = at - Math.round(age * 7 * 86_400_000) * 1_000
    const close = Math.round((0.02 + 0.96 * draw()) * 1_000) / 1_000
    const isOff = age >= Math.min(from, to) && age <= Math.max(from, to)
    const chance = isOff ? 0.5 + slope * (close - 0.5) + gap : close
    const resolvedAt = closeAt + Math.round((draw() - 0.1) * 8 * 86_400_000) * 1_000
    markets.set(market, {
      market,
      n_outcomes: 2,
      resolvedAt: resolvedAt > at ? null : resolvedAt,
      payout: draw() < chance ? 1 : 0,
    })
    return {
      trader: 'a',
      kind: i % 2 === 0 ? 'event_start' : 'markout_24h',
      market,
      outcome: i % 3 === 0 ? 1 : 0,
      side: 'buy',
      role: 'taker',
      category: `c${i % 4}`,
      ts: closeAt - day,
      closeAt,
      close: i % 3 === 0 ? 1 - close : close,
      edge: 0,
      risk: 1,
      price: 0.5,
      isResolved: false,
      isScored: true,
    }
  })
  return { closed, markets }
}

const isoOf = (micros: number): string => new Date(micros / 1_000).toISOString().slice(0, 23)

/** The rows of the tables that the model reads. */
function tablesOf({ closed, markets }: ReturnType<typeof marketsOf>): Given {
  const list = [...markets.values()]
  return {
    'metrics.clv_edges': closed.map((row, market_index) => ({
      kind: row.kind,
      trader_index: 0,
      seq: 0,
      ts: isoOf(row.ts),
      category: row.category,
      close_at: isoOf(row.closeAt ?? 0),
      is_resolved: row.isResolved,
      market_index,
      outcome: row.outcome,
      side: row.side,
      close_price: row.close,
      edge_points: row.edge,
    })),
    'core.ledger_markets': list.map(({ market, resolvedAt }) => ({
      market_id: market,
      n_outcomes: 2,
      resolved_at: resolvedAt === null ? null : isoOf(resolvedAt),
    })),
    'core.outcomes': list.map(({ market, resolvedAt, payout }) => ({
      market_id: market,
      outcome: 0,
      payout: resolvedAt === null ? null : payout,
    })),
  }
}

const columns = [
  'kind',
  'n_markets',
  'n_clusters',
  'gap',
  'se',
  'slope',
  'slope_se',
  'extreme_share',
  'state',
  'is_held',
  'broken_at',
]

/** Instants in microseconds, figures with nine digits. */
const lineOf = (row: Readonly<Record<string, unknown>>): string =>
  columns
    .map((column) => {
      const value = row[column]
      if (column === 'broken_at' && typeof value === 'string')
        return String(Date.parse(`${value.replace(' ', 'T')}Z`) * 1_000)
      if (column === 'extreme_share') return Number(value).toFixed(6)
      return typeof value === 'number' && !Number.isInteger(value) ? value.toPrecision(9) : String(value)
    })
    .join(' ')

/** The guards of a history by a model and by the text. */
async function guardsBy(model: SqlModel, history: History): Promise<{ made: string[]; expected: string[] }> {
  const { closed, markets } = marketsOf(history)
  const made = await runModel(model, tablesOf({ closed, markets }))
  const expected = guardsOf({ at, closed, markets, fills: [], evidence: [] })
  return { made: made.map(lineOf), expected: expected.map(lineOf) }
}

const fair = { n: 900, gap: 0, slope: 1, from: 0, to: 16, seed: 1 }
const histories: History[] = [
  { ...fair, n: 60 },
  fair,
  { ...fair, n: 1_200, slope: 0.7, seed: 3 },
  { ...fair, slope: 0.2 },
  { ...fair, gap: 0.07, seed: 2 },
  { ...fair, n: 1_600, gap: 0.3, from: 11 },
]

test('the guards of drifting closes are those of the text, in each state', async () => {
  const states = new Set<string>()
  for (const history of histories) {
    const { made, expected } = await guardsBy(modelOf('metrics.clv_guards'), history)
    expect(made).toEqual(expected)
    for (const line of made) states.add(line.split(' ')[columns.indexOf('state')] ?? '')
  }
  expect(states).toEqual(new Set(['held', 'warning', 'broken', 'unknown']))
})

test.each([
  ['a slope', 'f.slope_size - b.sure * f.slope_se > b.slope', 'f.slope_size > 2.58 * f.slope_se'],
  ['a gap', 'f.gap_size - b.sure * f.se > b.gap', 'f.gap_size > 2.58 * f.se'],
])('a switch by the significance of %s is found', async (_, from, to) => {
  expect(await isFound(from, to)).toBe(true)
})

test.each([
  ['mends where it no longer breaks', 'f.gap_size <= b.gap * 2 / 3', 'f.gap_size - b.sure * f.se <= b.gap'],
  ['has no history', 'range(12)', 'range(0)'],
])('a guard that %s is found', async (_, from, to) => {
  expect(await isFound(from, to)).toBe(true)
})

/** Whether a change of the model shows in a history. */
async function isFound(from: string, to: string): Promise<boolean> {
  const model = modelOf('metrics.clv_guards')
  expect(model.sql).toContain(from)
  for (const history of histories.toReversed()) {
    const { made, expected } = await guardsBy({ ...model, sql: model.sql.replace(from, to) }, history)
    if (made.join() !== expected.join()) return true
  }
  return false
}
