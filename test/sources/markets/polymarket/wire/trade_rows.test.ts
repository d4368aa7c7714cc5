import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { numberedFills, type NewFill } from '#sources/markets/fills.ts'
import { openTakerMatcher } from '#sources/markets/polymarket/wire/match_takers.ts'
import { tradeRow } from '#sources/markets/polymarket/wire/trade_rows.ts'
import { hex, tradeBody, wallet } from '#test/sources/markets/polymarket/wire.ts'

describe('roles and numbers', () => {
  const trades = fc
    .array(fc.record({ tx: fc.integer({ min: 1, max: 3 }), who: fc.integer({ min: 1, max: 2 }), taker: fc.boolean() }))
    .map((rows) =>
      rows.map(({ tx, who, taker }) => ({
        taker,
        trade: tradeRow.parse(tradeBody({ transaction_hash: hex(tx), proxy_wallet: wallet(who) })),
      })),
    )

  const until = Number.MAX_SAFE_INTEGER

  test('each listing’s multiplicities are kept, in any order, page by page', () => {
    fc.assert(
      fc.property(trades, fc.func(fc.integer()), fc.integer({ min: 1, max: 4 }), (rows, shuffle, size) => {
        const takers = rows.filter(({ taker }) => taker).map(({ trade }) => trade)
        const tape = openTakerMatcher({ until })
        for (const { trade } of rows) tape.add([trade])
        const marked = takers.toSorted((a, b) => shuffle(a) - shuffle(b))
        for (let n = 0; n < marked.length; n += size) tape.mark(marked.slice(n, n + size))
        const { fills, n_takers, n_unmatched_takers } = tape.end(true)
        const name = (tx: string, trader: string) => tx + trader
        expect(fills.map(({ tx, trader }) => name(tx, trader))).toEqual(
          rows.map(({ trade }) => name(trade.transaction_hash, trade.proxy_wallet)),
        )
        expect(
          fills
            .filter(({ role }) => role === 'taker')
            .map(({ tx, trader }) => name(tx, trader))
            .toSorted(),
        ).toEqual(takers.map((trade) => name(trade.transaction_hash, trade.proxy_wallet)).toSorted())
        expect([n_takers, n_unmatched_takers]).toEqual([takers.length, 0])
      }),
    )
  })

  test.each([
    ['price', { price: 0.51 }],
    ['size', { size: 11 }],
    ['side', { side: 'SELL' }],
    ['token', { token_id: '1' }],
    ['trader', { proxy_wallet: wallet(9) }],
    ['time', { timestamp: 1_790_000_001 }],
    ['transaction', { transaction_hash: hex(9) }],
  ])('a taker that differs in its %s has no twin: it is a stray, and is kept', (_, body) => {
    const tape = openTakerMatcher({ until })
    tape.add([tradeRow.parse(tradeBody())])
    tape.mark([tradeRow.parse(tradeBody(body))])
    const { fills, ...counts } = tape.end(true)
    expect([fills.map(({ role }) => role), counts]).toEqual([
      ['maker', 'taker'],
      { n_takers: 0, n_unmatched_takers: 1 },
    ])
  })

  const fills = fc.array(
    fc.record({
      venue: fc.constant('polymarket'),
      token_id: fc.constantFrom('1', '2'),
      ts: fc.constantFrom(1, 2),
      tx: fc.constantFrom('0x1', '0x2'),
      trader: fc.constant('0xa'),
      side: fc.constantFrom('buy', 'sell'),
      price: fc.constant(1n),
      size: fc.constant(1n),
      seq: fc.constant(0),
      market_id: fc.constant('m'),
      role: fc.constantFrom('taker', 'maker'),
      cash_usd: fc.constantFrom(1n, 2n),
      fee_usd: fc.constant(null),
    }),
  )

  test('numbers make keys unique, start at 0 without gaps, and do not depend on the order', () => {
    fc.assert(
      fc.property(fills, (rows) => {
        const text = (list: readonly NewFill[]) =>
          list
            .map((row) => JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? `${value}` : value)))
            .toSorted()
        const numbered = numberedFills(rows)
        expect(text(numberedFills(rows.toReversed()))).toEqual(text(numbered))
        expect(text(numbered.map((row) => ({ ...row, seq: 0 })))).toEqual(text(rows))
        const keys = numbered.map(({ token_id, ts, tx, side, seq }) => [token_id, ts, tx, side, seq])
        const alike = (key: (typeof keys)[number]) =>
          keys.filter((other) => other.slice(0, 4).join() === key.slice(0, 4).join())
        for (const key of keys) {
          expect(new Set(alike(key).map((other) => other[4]))).toEqual(new Set(alike(key).map((_, n) => n)))
        }
      }),
    )
  })
})
