import fc from 'fast-check'
import { expect, test } from 'vitest'

import { sized } from '#test/run/sized.ts'
import { run } from '#test/scoring/model.ts'

/** A row of the tape. Prices in thousandths, shares and cash in whole units, `at_s` seconds after midnight. */
type Print = {
  outcome: 0 | 1
  at_s: number
  tx: string
  trader: string
  role: 'taker' | 'maker' | 'block'
  price: number
  size: number
  cash: number | null
  seq: number
}
type Bar = { open: number; high: number; low: number; close: number; n: number; size: number; volume: number }

const print: fc.Arbitrary<Print> = fc.record({
  outcome: fc.constantFrom(0, 1),
  at_s: fc.integer({ min: 0, max: 12 }).map((tenths) => tenths * 600),
  tx: fc.constantFrom('0xa', '0xb'),
  trader: fc.constantFrom('ann', 'bob', 'the exchange'),
  role: fc.constantFrom('taker', 'taker', 'maker', 'block'),
  price: fc.integer({ min: 1, max: 999 }),
  size: fc.integer({ min: 0, max: 50 }),
  cash: fc.option(fc.integer({ min: 0, max: 50 })),
  seq: fc.integer({ min: 0, max: 2 }),
})

/** A tape has one row for each key, as the model's header says. */
const tape = fc.uniqueArray(print, {
  maxLength: 25,
  selector: ({ outcome, at_s, tx, trader, price, size, seq }) =>
    [outcome, at_s, tx, trader, price, size, seq].join(' '),
})

const before = (a: Print, b: Print): number =>
  a.at_s - b.at_s ||
  Number(a.tx > b.tx) - Number(a.tx < b.tx) ||
  a.seq - b.seq ||
  Number(a.trader > b.trader) - Number(a.trader < b.trader) ||
  a.price - b.price ||
  a.size - b.size

/** The bars of a tape, trade by trade: each trade of a taker moves the close of its hour. */
function barsOf(prints: readonly Print[]): Map<string, Bar> {
  const bars = new Map<string, Bar>()
  for (const { role, size, trader, outcome, at_s, price, cash } of prints.toSorted(before)) {
    if (role !== 'taker' || size === 0 || trader === 'the exchange') continue
    const key = `${outcome} ${Math.floor(at_s / 3600)}`
    const bar = bars.get(key) ?? { open: price, high: price, low: price, close: price, n: 0, size: 0, volume: 0 }
    bar.high = Math.max(bar.high, price)
    bar.low = Math.min(bar.low, price)
    bar.close = price
    bar.n += 1
    bar.size += size
    // In thousandths of a US dollar: without a reported cash it is price x size.
    bar.volume += cash === null ? price * size : cash * 1000
    bars.set(key, bar)
  }
  return bars
}

const noon_ms = Date.UTC(2026, 0, 1, 12)
const thousandths = (value: unknown): number => Math.round(Number(value) * 1000)

test('the bars of random tapes are those of a walk over their trades', async () => {
  const tapes = fc.sample(tape, { numRuns: sized(60, 120, 400), seed: 616 })
  const rows = await run('core.bars_1h', {
    'staging.tape': tapes.flatMap((prints, index) =>
      prints.map(({ outcome, at_s, price, cash, ...rest }) => ({
        ...rest,
        venue: 'v',
        market_id: `m${index}`,
        token_id: `m${index}:${outcome}`,
        ts: new Date(noon_ms + at_s * 1000).toISOString().slice(0, 19),
        side: 'buy',
        price: price / 1000,
        cash_usd: cash,
      })),
    ),
    'core.outcomes': tapes.flatMap((_, index) =>
      [0, 1].map((outcome) => ({ market_id: `m${index}`, outcome, token_id: `m${index}:${outcome}`, label: '' })),
    ),
    'staging.system_addresses': [{ address: 'the exchange', label: 'exchange' }],
  })
  const found = rows.map((row) => {
    const hour = (Date.parse(`${String(row['hour_at']).replace(' ', 'T')}Z`) - noon_ms) / 3_600_000
    const bar: Bar = {
      open: thousandths(row['open_usd']),
      high: thousandths(row['high_usd']),
      low: thousandths(row['low_usd']),
      close: thousandths(row['close_usd']),
      n: Number(row['n_matches']),
      size: Number(row['size']),
      volume: thousandths(row['volume_usd']),
    }
    return [`${String(row['market_id'])} ${String(row['outcome'])} ${hour}`, bar] as const
  })
  const expected = tapes.flatMap((prints, index) =>
    [...barsOf(prints)].map(([key, bar]) => [`m${index} ${key}`, bar] as const),
  )
  expect(expected.length).toBeGreaterThan(tapes.length)
  expect(new Map(found)).toEqual(new Map(expected))
})
