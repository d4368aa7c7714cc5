import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import type { Exchanger } from '#scoring/core/trades/flows/exchangers.ts'
import { sumOf } from '#scoring/core/trades/flows/facts.ts'
import { sharesOf } from '#scoring/core/trades/flows/shares.ts'

import { move, swap, tradesIn, txOf } from './facts.ts'

describe('several assets take their shares from the exchanges of the transaction', () => {
  test('two sold for two, each in a pool of its own', () => {
    const logs = [
      move('usdc', 'ann', 'pool_a', 100n),
      move('pepe', 'pool_a', 'ann', 7n),
      swap('pool_a'),
      move('dai', 'ann', 'pool_b', 50n),
      move('wojak', 'pool_b', 'ann', 3n),
      swap('pool_b'),
    ]
    expect(tradesIn(txOf(logs))).toEqual(['ann: 100 usdc -> 7 pepe', 'ann: 50 dai -> 3 wojak'])
  })

  test('two sold for one through an asset between', () => {
    const logs = [
      move('usdc', 'ann', 'pool_a', 100n),
      move('dai', 'pool_a', 'router', 90n),
      move('usdt', 'ann', 'pool_b', 40n),
      move('dai', 'pool_b', 'router', 30n),
      move('dai', 'router', 'pool_c', 120n),
      move('pepe', 'pool_c', 'ann', 8_000n),
    ]
    expect(tradesIn(txOf(logs))).toEqual(['ann: 100 usdc -> 6000 pepe', 'ann: 40 usdt -> 2000 pepe'])
  })

  test('one sold for two, of which one is the rest of the asset between', () => {
    const logs = [
      move('usdc', 'ann', 'pool_a', 100n),
      move('dai', 'pool_a', 'router', 100n),
      move('dai', 'router', 'pool_b', 75n),
      move('pepe', 'pool_b', 'ann', 9n),
      move('dai', 'router', 'ann', 25n),
    ]
    expect(tradesIn(txOf(logs))).toEqual(['ann: 75 usdc -> 9 pepe', 'ann: 25 usdc -> 25 dai'])
  })

  test('and a dust of an asset between is no leg', () => {
    const logs = [
      move('usdc', 'ann', 'pool_a', 100_000n),
      move('dai', 'pool_a', 'router', 100_000n),
      move('dai', 'router', 'pool_b', 99_950n),
      move('pepe', 'pool_b', 'ann', 9n),
      move('dai', 'router', 'ann', 50n),
    ]
    expect(tradesIn(txOf(logs))).toEqual(['ann: 100000 usdc -> 9 pepe'])
  })

  test('and what no exchange explains is no leg: the fee of a message, a reward', () => {
    const logs = [
      move('usdc', 'ann', 'pool', 100n),
      move('pepe', 'pool', 'ann', 7n),
      move('points', 'rewards', 'ann', 5n),
    ]
    expect(tradesIn(txOf(logs, { amount: 3n }))).toEqual(['ann: 100 usdc -> 7 pepe'])
  })

  test('but not if a pool got or gave several assets, without prices', () => {
    const logs = [
      move('usdc', 'ann', 'pool', 100n),
      swap('pool'),
      move('pepe', 'pool', 'ann', 7n),
      move('wojak', 'pool', 'ann', 8n),
    ]
    expect(tradesIn(txOf(logs))).toEqual([])
  })
})

test('the parts of each asset add up, for any exchanges', () => {
  // Alike sizes, so that not all shares are dust.
  const amount = fc.bigInt(2n ** 199n, 2n ** 200n)
  const token = fc.integer({ min: 0, max: 2 })
  // An asset turns into a later one only, so that exchanges do not go round.
  const exchanger = fc
    .tuple(token, fc.integer({ min: 1, max: 2 }), amount, amount)
    .map(([from, step, got, paid]): Exchanger => ({
      address: 'pool',
      received: [{ token: `t${from}`, amount: got }],
      paid: [{ token: `t${from + step}`, amount: paid }],
    }))
  const side = (most: number) =>
    fc.uniqueArray(fc.tuple(fc.integer({ min: 0, max: most }), amount), {
      selector: ([n]) => n,
      minLength: 1,
      maxLength: 3,
    })
  const sides = fc.record({ sold: side(2), bought: side(4) })
  let n_legs = 0
  fc.assert(
    fc.property(fc.array(exchanger, { maxLength: 8 }), sides, (exchangers, { sold, bought }) => {
      const named = (list: [number, bigint][]) => list.map(([n, size]) => ({ token: `t${n}`, amount: size }))
      const down = named(sold)
      const up = named(bought.filter(([n]) => !sold.some(([other]) => other === n)))
      const legs = sharesOf(exchangers, down, up)
      n_legs += legs.length
      for (const asset of new Set(legs.map(({ token_sold }) => token_sold)))
        expect(
          sumOf(
            legs.filter((leg) => leg.token_sold === asset),
            (leg) => leg.amount_sold,
          ),
        ).toBe(down.find((side) => side.token === asset)?.amount)
      for (const asset of new Set(legs.map(({ token_bought }) => token_bought)))
        expect(
          sumOf(
            legs.filter((leg) => leg.token_bought === asset),
            (leg) => leg.amount_bought,
          ),
        ).toBe(up.find((side) => side.token === asset)?.amount)
    }),
    { numRuns: 1000 },
  )
  // About one leg an example.
  expect(n_legs).toBeGreaterThan(200)
})
