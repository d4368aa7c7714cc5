import fc from 'fast-check'
import { expect, test } from 'vitest'

import { sized } from '#test/run/sized.ts'
import { run, type Given } from '#test/scoring/model.ts'

type Row = Given[string][number]

/**
 * A day of three markets, three accounts and a feed, in minutes. A match is one fill here; only its reporting source
 * matters.
 */
const horizon = 240
const hour = 40
const markets = ['a', 'b', 'c'].map((letter) => `0x${letter.repeat(64)}`)
const traders = ['ann', 'bob', 'cid']
const stamp = (minute: number): string =>
  minute >= 9_999 ? '9999-01-01 00:00:00' : new Date(Date.UTC(2026, 2, 1, 10, minute)).toISOString().slice(0, 19)

type Fill = { market: number; trader: number; ts: number; role: 'maker' | 'taker'; seq: number }
type Span = { from: number; to: number }
/** `markets` and `accounts`: how far each was read, if it was. `hours`: how far each hour of the feed was. */
type Lake = {
  fills: Fill[]
  markets: (Span | null)[]
  accounts: (number | null)[]
  hours: (number | null)[]
  /** Rows outside the coverage are stored too: a process died before it wrote their coverage. */
  isTorn: boolean
}

const minute = fc.integer({ min: 0, max: horizon - 1 })
const lakes: fc.Arbitrary<Lake> = fc.record({
  fills: fc
    .array(
      fc.record({
        market: fc.nat(2),
        trader: fc.nat(2),
        ts: minute,
        role: fc.constantFrom<'maker' | 'taker'>('maker', 'taker'),
      }),
      { minLength: 1, maxLength: 60 },
    )
    .map((fills) => numbered(fills)),
  markets: fc.tuple(
    ...markets.map(() =>
      fc.option(
        fc.record({ from: fc.nat(60), to: fc.oneof(minute, fc.constant(9_999)) }).filter(({ from, to }) => to > from),
      ),
    ),
  ),
  accounts: fc.tuple(...traders.map(() => fc.option(minute))),
  hours: fc.array(fc.option(fc.integer({ min: 1, max: hour })), { minLength: 6, maxLength: 6 }),
  isTorn: fc.boolean(),
})

/** Rows alike in all but their role are numbered, as sources do. */
function numbered(fills: Omit<Fill, 'seq'>[]): Fill[] {
  const counts = new Map<string, number>()
  return fills.map((fill) => {
    const key = [fill.market, fill.trader, fill.ts].join()
    const seq = counts.get(key) ?? 0
    counts.set(key, seq + 1)
    return { ...fill, seq }
  })
}

const isIn = (ts: number, span: Span | null): boolean => span !== null && ts >= span.from && ts < span.to
const hoursOf = ({ hours }: Lake): (Span | null)[] =>
  hours.map((to, n) => (to === null ? null : { from: n * hour, to: n * hour + to }))
const accountOf = ({ accounts }: Lake, trader: number): Span | null => {
  const to = accounts[trader] ?? null
  return to === null ? null : { from: 0, to }
}

/** The source that counts for a fill on the tape, and in the ledger of its trader; absent without a report. */
const truthOf = (lake: Lake, { market, trader, ts }: Fill): { tape?: string; ledger?: string } => {
  const feed = hoursOf(lake).some((span) => isIn(ts, span)) ? 'feed' : undefined
  const tape = isIn(ts, lake.markets[market] ?? null) ? 'trades' : feed
  const ledger = isIn(ts, accountOf(lake, trader)) ? 'activity' : tape
  return { ...(tape && { tape }), ...(ledger && { ledger }) }
}

/** The stored rows: of each source the rows that its units cover, and of a torn lake all rows. */
const storedRows = (lake: Lake): Row[] =>
  lake.fills.flatMap((fill) => {
    const { market, trader, ts, role, seq } = fill
    const row = { venue: 'polymarket', market_id: `polymarket:${markets[market]}`, token_id: `${market}`, tx: '0x1' }
    const listed = { ...row, ts: stamp(ts), trader: traders[trader] ?? '', side: 'buy', price: 0.5, size: 10, seq }
    const isRead = (span: Span | null): boolean => span !== null && (lake.isTorn || isIn(ts, span))
    return [
      ...(isRead(lake.markets[market] ?? null) ? [{ ...listed, role, source: 'trades' }] : []),
      ...(isRead(hoursOf(lake)[Math.floor(ts / hour)] ?? null) ? [{ ...listed, role, source: 'feed' }] : []),
      ...(isRead(accountOf(lake, trader)) ? [{ ...listed, role: null, source: 'activity' }] : []),
    ]
  })

const coverageOf = (lake: Lake): Row[] => {
  const unit = (source: string, key: string, precedence: number, span: Span | null): Row[] =>
    span === null
      ? []
      : [
          {
            dataset: 'fills',
            unit: `${source} ${key} ${span.from}`,
            part: 'polymarket',
            key,
            source,
            precedence,
            state: 'head',
            from_at: stamp(span.from),
            to_at: stamp(span.to),
          },
        ]
  return [
    ...markets.flatMap((key, n) => unit('trades', key, 10, lake.markets[n] ?? null)),
    ...traders.flatMap((key, n) => unit('activity', key, 20, accountOf(lake, n))),
    ...hoursOf(lake).flatMap((span) => unit('feed', '', 5, span)),
  ]
}

const name = (fill: Fill, source: string): string =>
  [stamp(fill.ts).replace('T', ' '), fill.market, traders[fill.trader], fill.seq, source].join(' ')
const nameOf = (row: Record<string, unknown>): string =>
  ['ts', 'token_id', 'trader', 'seq', 'source'].map((column) => String(row[column])).join(' ')

test('for any readings, the tape and the ledgers have each reported fill once', async () => {
  await fc.assert(
    fc.asyncProperty(lakes, async (lake) => {
      const stretches = (await run('staging.coverage_intervals', { 'lake.coverage': coverageOf(lake) })) as Row[]
      const given = { 'lake.fills': storedRows(lake), 'staging.coverage_intervals': stretches }
      const [tape, fills] = [await run('staging.tape', given), await run('staging.fills', given)]
      const truth = lake.fills.map((fill) => ({ fill, ...truthOf(lake, fill) }))
      const expected = (which: 'tape' | 'ledger'): string[] =>
        truth.flatMap(({ fill, [which]: source }) => (source === undefined ? [] : [name(fill, source)])).toSorted()
      expect(tape.map(nameOf).toSorted()).toEqual(expected('tape'))
      expect(fills.map(nameOf).toSorted()).toEqual(expected('ledger'))
      const roles = new Map(lake.fills.map((fill) => [name(fill, ''), fill.role]))
      for (const row of tape) expect(row['role']).toBe(roles.get(nameOf({ ...row, source: '' })))
    }),
    { numRuns: sized(20, 40, 60) },
  )
})
