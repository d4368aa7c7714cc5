import fc from 'fast-check'

import { play, type History, type Layout } from './history.ts'
import type { Step } from './world.ts'

/**
 * Histories of one to four traders in one to four markets. Most sales are of held shares and most redemptions pay the
 * payout; some do not. Events come in the order of their steps, which within a second is not that of the ledger. They
 * shrink to few steps with small parameters, since a step is valid after any other steps.
 */
export function histories(): fc.Arbitrary<History> {
  const list = fc.array(steps, { minLength: 1, maxLength: 60, size: 'max' })
  return fc.tuple(layouts, list).map(([layout, taken]) => play(layout, taken))
}

const layouts: fc.Arbitrary<Layout> = fc.record({
  n_traders: fc.integer({ min: 1, max: 4 }),
  markets: fc.constantFrom<Layout['markets'][]>(
    { n_questions: 0, n_outcomes: [2] },
    { n_questions: 2, n_outcomes: [] },
    { n_questions: 3, n_outcomes: [2] },
    { n_questions: 4, n_outcomes: [] },
    { n_questions: 2, n_outcomes: [2, 3] },
    { n_questions: 3, n_outcomes: [] },
    { n_questions: 0, n_outcomes: [3, 2, 2] },
  ),
  // In the order of the ids, against it, and past the width of a machine word.
  indexes: fc.constantFrom([0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 70, 1]),
})

const sizes: fc.Arbitrary<bigint> = fc.oneof(
  { withCrossShrink: true },
  { weight: 3, arbitrary: fc.bigInt(1n, 30n) },
  { weight: 4, arbitrary: fc.bigInt(1n, 1_000n).map((shares) => shares * 1_000_000n) },
  { weight: 4, arbitrary: fc.bigInt(1n, 1_000_000_000n) },
  { weight: 1, arbitrary: fc.bigInt(1n, 1_000_000_000_000_000n) },
  { weight: 1, arbitrary: fc.constant(1_000_000_000_000_000n) },
)

const steps: fc.Arbitrary<Step> = fc.record({
  act: often<Step['act']>(
    [8, 'buy'],
    [8, 'sell'],
    [3, 'split'],
    [3, 'merge'],
    [6, 'convert'],
    [3, 'resolve'],
    [5, 'redeem'],
    [1, 'repeat'],
    [2, 'receive'],
    [3, 'give'],
    [3, 'migrate'],
  ),
  wait_us: often([8, 0], [12, 1_000_000], [1, 1], [2, 86_400_000_000], [1, -1_000_000]),
  trader: fc.nat(3),
  pick: fc.nat(11),
  outcome: fc.nat(2),
  size: sizes,
  portion_permille: fc.oneof(
    { withCrossShrink: true },
    { weight: 10, arbitrary: fc.constant(1000) },
    { weight: 14, arbitrary: fc.integer({ min: 1, max: 999 }) },
    { weight: 1, arbitrary: fc.integer({ min: 1001, max: 2500 }) },
  ),
  price_permille: fc.integer({ min: 1, max: 999 }),
  // A fee above the cash is a fault: the rest of a sale is then negative.
  fee_permille: often([6, 0], [4, 13], [2, 100], [1, 1500]),
  isBlind: often([24, false], [1, true]),
  payouts: often<Step['payouts']>([5, 'one'], [2, 'halves'], [2, 'skewed'], [1, 'void']),
  questions: fc.oneof(
    { weight: 2, arbitrary: fc.constant(15) },
    { weight: 3, arbitrary: fc.integer({ min: 1, max: 15 }) },
  ),
  isSetKnown: often([14, true], [1, false]),
  isNamed: often([1, false], [1, true]),
  redeemed: often<Step['redeemed']>([5, 'exact'], [2, 'near'], [3, 'part'], [1, 'excess'], [1, 'nothing']),
  near: fc.integer({ min: -12, max: 12 }),
  tx: fc.constantFrom('0x1', '0xa', '0xB', '0x10', '0xb', ''),
  rank: fc.nat(3),
})

/** One of some values, each as often as its weight says; it shrinks to the first. */
function often<T>(...weighted: [number, T][]): fc.Arbitrary<T> {
  const arbitraries = weighted.map(([weight, value]) => ({ weight, arbitrary: fc.constant(value) }))
  return fc.oneof({ withCrossShrink: true }, ...arbitraries)
}
