import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { numberedFills, tradeRow, withRoles, type NewFill } from '#activities/markets/fills.ts'

import { hex, tradeBody, wallet } from './wire.ts'

describe('roles and numbers', () => {
  const trades = fc
    .array(fc.record({ tx: fc.integer({ min: 1, max: 3 }), who: fc.integer({ min: 1, max: 2 }), taker: fc.boolean() }))
    .map((rows) =>
      rows.map(({ tx, who, taker }) => ({
        taker,
        trade: tradeRow.parse(tradeBody({ transaction_hash: hex(tx), proxy_wallet: wallet(who) })),
      })),
    )

  test('each listing’s multiplicities are kept, in any order', () => {
    fc.assert(
      fc.property(trades, fc.func(fc.integer()), (rows, shuffle) => {
        const all = rows.map(({ trade }) => trade)
        const takers = rows.filter(({ taker }) => taker).map(({ trade }) => trade)
        const marked = withRoles(
          all,
          takers.toSorted((a, b) => shuffle(a) - shuffle(b)),
        )
        expect(marked.trades.map(({ trade }) => trade)).toEqual(all)
        expect(marked.strays).toEqual([])
        const count = (list: { transaction_hash: string; proxy_wallet: string }[]) =>
          list.map((trade) => trade.transaction_hash + trade.proxy_wallet).toSorted()
        expect(count(marked.trades.filter(({ role }) => role === 'taker').map(({ trade }) => trade))).toEqual(
          count(takers),
        )
      }),
    )
  })

  const fills = fc.array(
    fc.record({
      venue: fc.constant('polymarket'),
      token_id: fc.constantFrom('1', '2'),
      ts: fc.constantFrom(1, 2),
      tx: fc.constant('0x1'),
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
        const keys = numbered.map(({ token_id, ts, side, seq }) => [token_id, ts, side, seq])
        const alike = (key: (typeof keys)[number]) =>
          keys.filter((other) => other.slice(0, 3).join() === key.slice(0, 3).join())
        for (const key of keys) {
          expect(new Set(alike(key).map((other) => other[3]))).toEqual(new Set(alike(key).map((_, n) => n)))
        }
      }),
    )
  })
})
