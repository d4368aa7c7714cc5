import fc from 'fast-check'
import { expect, test } from 'vitest'

import { flowsOf } from '#scoring/core/trades/flows/net_flows.ts'
import { legsOf } from '#scoring/core/trades/flows/split.ts'
import { tradesOf } from '#scoring/core/trades/flows/trades.ts'

import { move, someChain, swap, tradesIn, txOf } from './facts.ts'

const most = 2n ** 256n - 1n
const amount = fc.oneof(fc.constantFrom(1n, most, 10n ** 18n), fc.bigInt(1n, most))
const party = fc.constantFrom('ann', 'bob', 'pool', 'router')
const transfer = fc.tuple(fc.constantFrom('usdc', 'pepe', 'dai'), party, party, amount).map((of) => move(...of))

test('flows are the exact sums of the movements, in any order of the rows', () => {
  fc.assert(
    fc.property(
      fc.array(transfer, { maxLength: 12 }).chain((moves) =>
        fc.tuple(
          fc.constant(moves),
          fc.shuffledSubarray(
            moves.map((_, n) => n),
            { minLength: moves.length },
          ),
        ),
      ),
      ([moves, order]) => {
        const tx = txOf([swap('pool'), ...moves.flatMap((one) => [one, swap('pool')])])
        const shuffled = { ...tx, transfers: order.map((n) => tx.transfers[n]).filter((row) => row !== undefined) }
        const flows = flowsOf(shuffled, someChain()).filter(({ wallet }) => wallet === 'ann')
        for (const token of ['usdc', 'pepe', 'dai']) {
          let expected = 0n
          for (const one of moves) {
            if (one.token !== token) continue
            if (one.recipient === 'ann') expected += one.amount
            if (one.sender === 'ann') expected -= one.amount
          }
          expect(flows.find((flow) => flow.token === token)?.amount ?? 0n).toBe(expected)
        }
        expect(tradesIn(shuffled)).toEqual(tradesIn(tx))
      },
    ),
  )
})

test('several assets on one side share the other side by value, and the parts add up', () => {
  const priced = fc.record({ amount, usd: fc.bigInt(1_000_000n, 10n ** 15n) })
  fc.assert(
    fc.property(amount, fc.array(priced, { minLength: 2, maxLength: 5 }), fc.boolean(), (single, many, isSale) => {
      const sign = isSale ? 1n : -1n
      const flow = (token: string, of: bigint) => ({
        wallet: 'ann',
        seq: -1,
        token,
        amount: of,
        is_inferred: false,
        is_bound: false,
      })
      const flows = [flow('one', -sign * single), ...many.map((one, n) => flow(`t${n}`, sign * one.amount))]
      const total = many.reduce((sum, { usd }) => sum + usd, 0n)
      const usdOf = (token: string): bigint => (token === 'one' ? total : (many[Number(token.slice(1))]?.usd ?? 0n))
      const legs = legsOf(flows, someChain({ usdOf }), [])
      const kept = many.filter(({ usd }) => usd * 1_000n >= total && usd >= 10_000n)
      expect(legs).toHaveLength(kept.length)
      const parts = legs.map((leg) => (isSale ? leg.amount_sold : leg.amount_bought))
      expect(parts.reduce((sum, part) => sum + part, 0n)).toBe(kept.length === 0 ? 0n : single)
      expect(legs.map((leg) => (isSale ? leg.amount_bought : leg.amount_sold))).toEqual(kept.map((one) => one.amount))
    }),
  )
})

test('without a price of each there is no split, and dust is no leg', () => {
  const tx = txOf([
    move('usdc', 'ann', 'pool', 100n),
    swap('pool'),
    move('pepe', 'pool', 'ann', 9n),
    move('dai', 'pool', 'ann', 1n),
  ])
  expect(tradesIn(tx)).toEqual([])
  const usdOf = (token: string): bigint => ({ usdc: 100_000_000n, pepe: 99_000_000n })[token] ?? 9_999n
  expect(tradesIn(tx, someChain({ usdOf }))).toEqual(['ann: 100 usdc -> 9 pepe'])
  const chain = someChain({ usdOf: () => 50_000_000n })
  expect(tradesOf(tx, flowsOf(tx, chain), chain).map(({ seq, amount_sold }) => [seq, amount_sold])).toEqual([
    [0, 50n],
    [1, 50n],
  ])
})
