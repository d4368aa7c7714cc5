import type { Fill, Market } from './closes.ts'
import { as_of } from './worlds.ts'

export const minute = 60_000_000
export const hour = 60 * minute
export const day = 24 * hour
/** A percentage point, as edges are counted. */
export const point = 10n ** 24n
/** The market 'm' starts then; 'n', its neg-risk sibling, too; 'free' at no known time. */
export const start = as_of - 10 * day

export const market = (name: string, starts_at: number | null, resolved_at: number | null = null): Market => ({
  market: name,
  category: null,
  n_outcomes: 2,
  starts_at,
  resolved_at,
  payout: 1_000_000n,
})
export const markets = [
  market('m', start),
  market('n', start),
  market('late', as_of + 1),
  market('now', as_of),
  market('free', null),
  market('resolved', null, start + 24 * hour),
  { ...market('three', start), n_outcomes: 3 },
]

let n_rows = 0
/**
 * A taker's purchase of 100 shares of 'm', outcome 0, at 0.50 an hour before the start, in a transaction of its own.
 */
export const fill = (fields: Partial<Fill>): Fill => {
  const { price = 500_000n, size = 100_000_000n } = fields
  return {
    trader: 'a',
    event: 'e',
    market: 'm',
    outcome: 0,
    ts: start - hour,
    tx: `0x${n_rows++}`,
    side: 'buy',
    price,
    size,
    cash: (price * size) / 1_000_000n,
    fee: 0n,
    role: 'taker',
    ...fields,
  }
}
/** A purchase of another trader: 1,000 shares at 0.60 in the close window. */
export const closing = (fields: Partial<Fill> = {}): Fill =>
  fill({ trader: 'z', ts: start, price: 600_000n, size: 1_000_000_000n, ...fields })

/** Two more takers beside each purchase of 'z', of a millionth of a share: a close needs three. */
export const crowded = (fills: Fill[]): Fill[] =>
  fills.flatMap((each) => {
    if (each.trader !== 'z') return [each]
    const dust = ['x', 'w'].map((trader) => ({ ...each, trader, tx: `${each.tx}${trader}`, size: 1n, cash: 0n }))
    return [each, ...dust]
  })
