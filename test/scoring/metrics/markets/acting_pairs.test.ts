import { expect, test } from 'vitest'

import { cut, run, type Given } from '#test/scoring/model.ts'

type Row = Given[string][number]

const names = ['crowd0', 'crowd1', 'crowd2', 'crowd3', 'crowd4', 'crowd5', 'echo', 'lead', 'rare']
const n_markets = 60
const minute = (of: number): string => new Date(Date.UTC(2026, 9, 1) + of * 60_000).toISOString().slice(0, 19)

/** A bet of a trader in a market, of which a day has ten, so many minutes after the day begins. */
const bet = (trader: string, market: number, minutes: number, more: Row = {}): Row => ({
  trader,
  trader_index: names.indexOf(trader),
  market_index: market,
  ts: minute(Math.floor(market / 10) * 1440 + minutes),
  outcome: 0,
  side: 'buy',
  size: 10,
  role: 'taker',
  is_self: false,
  ...more,
})

/** Six traders whose bets of a day are in an order of their own. */
const crowd = Array.from({ length: n_markets }, (_, market) =>
  Array.from({ length: 6 }, (__, i) => bet(`crowd${i}`, market, 60 + ((market * 7 + i * (market + 5)) % 53) * 20)),
).flat()
/** The leader bets in every second market, and is followed a minute later. */
const led = Array.from({ length: n_markets / 2 }, (_, i) => [
  bet('lead', 2 * i, 61 + ((i * 11) % 47) * 20),
  bet('echo', 2 * i, 62 + ((i * 11) % 47) * 20),
]).flat()

const pairs = async (fills: Row[]) =>
  run('metrics.acting_pairs', {
    'core.fills': fills.map((row, seq) => ({ seq, ...row })),
    'core.ledger_markets': Array.from({ length: n_markets }, (_, market) => ({
      market_index: market,
      market_id: `m${String(market).padStart(2, '0')}`,
      n_outcomes: 2,
      category: 'sports',
    })),
    'core.ledger_traders': names.map((trader, trader_index) => ({ trader, trader_index })),
  })

test('a copier and its leader are found, from either side, and nobody of the crowd', async () => {
  const rows = await pairs([...crowd, ...led])
  expect(cut(rows, 'trader', 'partner', 'n_shared', 'n_first', 'share', 'lag_s')).toEqual([
    ['echo', 'lead', 30, 0, 1, -60],
    ['lead', 'echo', 30, 30, 1, 60],
  ])
  expect(rows[0]?.['expected']).toBeLessThan(11)
  expect(rows[0]?.['log10_chance']).toBeLessThan(-5)
})

test('a bet is the first in a direction that was not made, and either outcome has one direction', async () => {
  const twice = led.map((row) => ({ ...row, ts: String(row['ts']).replace(/\d$/, '9') }))
  expect(await pairs([...crowd, ...led, ...twice])).toEqual(await pairs([...crowd, ...led]))
  const mirrored = led.map((row, i) => (i % 2 === 0 ? row : { ...row, outcome: 1, side: 'sell' }))
  expect(await pairs([...crowd, ...mirrored])).toEqual(await pairs([...crowd, ...led]))
  const against = led.map((row, i) => (i % 2 === 0 ? row : { ...row, side: 'sell' }))
  expect(await pairs([...crowd, ...against])).toEqual([])
  const made = led.map((row, i) => (i % 2 === 0 ? row : { ...row, role: 'maker' }))
  expect(await pairs([...crowd, ...made])).toEqual([])
})

test('bets that are more than six hours apart, or fewer than ten, say nothing', async () => {
  const late = led.map((row, i) =>
    i % 2 === 0
      ? row
      : { ...row, ts: minute((new Date(`${String(row['ts'])}Z`).getTime() - Date.UTC(2026, 9, 1)) / 60_000 + 361) },
  )
  expect(await pairs([...crowd, ...late])).toEqual([])
  expect(await pairs([...crowd, ...led.slice(0, 18)])).toEqual([])
})

test('what two traders share by being everywhere is no evidence', async () => {
  // Two of a crowd of two are neighbours in every market.
  const two = crowd.filter(({ trader }) => trader === 'crowd0' || trader === 'crowd1')
  expect(await pairs(two)).toEqual([])
})
