import type { Ranked } from '#validation/measures.ts'

/** All of a trader's later results, in the only cluster. */
const cell = (points: number): Ranked['clv'][number] => ({ cluster: 0, points, weight: 10 })

/**
 * Traders whose closing line value predicts the later results exactly, whose PnL predicts the opposite, and whose win
 * rate is one of four.
 *
 * Trader i of n has i points, realized and returned i, and lost i dollars.
 */
export const tradersOf = (n: number, change: (trader: Ranked, i: number) => Ranked = (trader) => trader): Ranked[] =>
  Array.from({ length: n }, (_, i) =>
    change(
      {
        trader: `0x${i.toString(16).padStart(40, '0')}`,
        kind: 'event_start',
        isTaker: true,
        scores: { clv: i, raw_clv: i, payout: i, roi: i, pnl: -i, win_rate: (i % 4) / 4 },
        payout: [cell(i)],
        clv: [cell(i)],
        roi: i / 100,
      },
      i,
    ),
  )
