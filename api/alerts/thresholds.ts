import { z } from 'zod'

import type { Alert, AlertState } from '#accounts/alerts/alerts.ts'
import type { ItemType } from '#api/contract/watchlist_items.ts'

const number = (form: string, least: number, most: number) => z.number(form).min(least, form).max(most, form).optional()
const priceForm = 'a price from 0 to 1'
const price = number(priceForm, 0, 1)
const usdForm = 'US dollars other than 0, by sign a rise or a fall'
const pointsForm = 'percentage points from -100 to 100 other than 0, by sign a rise or a fall'
const amountNotZero = (form: string, most: number) =>
  number(form, -most, most)
    .refine((value) => value !== 0, form)
    .meta({ anyOf: [{ exclusiveMinimum: 0 }, { exclusiveMaximum: 0 }] })

/** The conditions of each type. All that are given must hold. */
export const thresholds = {
  wallet: z.strictObject({ pnl_change: amountNotZero(usdForm, 1e12) }),
  market: z.strictObject({
    price_above: price,
    price_below: price,
    price_change: number('a change of the price from 0.000001 to 1', 0.000001, 1),
    volume_24h: number('US dollars from 0 on', 0, 1e12),
  }),
  signal: z.strictObject({ min_score: number('a score from 0 to 100', 0, 100) }),
  social: z.strictObject({
    mindshare_delta: amountNotZero(pointsForm, 100),
    sentiment: z.enum(['bullish', 'bearish'], 'bullish or bearish').optional(),
  }),
} as const

/** The kind of entity of each type. A signal of the type `signal` is of an asset: the types that agree share it. */
export const entityKinds: Record<Alert['type'], readonly ItemType[]> = {
  wallet: ['wallets'],
  market: ['markets'],
  signal: ['assets'],
  social: ['assets'],
}

/** The current figures of the entity of an alert; a figure is null where it does not exist. */
export type Observed = {
  pnl: number | null
  price: number | null
  volume_24h: number | null
  mindshare_delta: number | null
  sentiment: string | null
}

/** Whether an alert watches figures. Others watch new signals. */
export const watchesFigures = ({ type, threshold }: Pick<Alert, 'type' | 'threshold'>): boolean =>
  type !== 'signal' && Object.keys(threshold).length > 0

/** The figure that changes are measured from. */
export const baselineOf = ({ type }: Pick<Alert, 'type'>, observed: Observed): number | null =>
  type === 'wallet' ? observed.pnl : type === 'market' ? observed.price : null

/**
 * The next state of an alert that watches figures, and whether it fires. It fires when its condition begins to hold,
 * and is armed again once it does not hold. A change is measured from the last firing, so it is armed at once.
 */
export function evaluate(
  alert: Pick<Alert, 'type' | 'threshold'> & { state: AlertState },
  observed: Observed,
): { state: AlertState; fires: boolean } {
  const { threshold, state } = alert
  const now = baselineOf(alert, observed)
  if (state.baseline === null && now !== null && state.is_armed && changes(threshold))
    return { state: { ...state, baseline: now }, fires: false }
  const holds = conditions(threshold, observed, state.baseline).every(Boolean)
  if (!holds) return { state: { ...state, is_armed: true }, fires: false }
  if (!state.is_armed) return { state, fires: false }
  return { state: { ...state, is_armed: changes(threshold), baseline: now ?? state.baseline }, fires: true }
}

const changes = (threshold: Alert['threshold']): boolean => 'pnl_change' in threshold || 'price_change' in threshold

function conditions(threshold: Alert['threshold'], observed: Observed, baseline: number | null): boolean[] {
  const beyond = (value: number | null, least: number): boolean =>
    value !== null && (least > 0 ? value >= least : value <= least)
  /** Figures have at most six places, which a difference of doubles does not keep. */
  const moved = (value: number | null): number | null =>
    value === null || baseline === null ? null : Math.round((value - baseline) * 1e6) / 1e6
  return Object.entries(threshold).map(([name, limit]) => {
    const least = Number(limit)
    switch (name) {
      case 'pnl_change':
        return beyond(moved(observed.pnl), least)
      case 'price_change':
        return Math.abs(moved(observed.price) ?? 0) >= least
      case 'price_above':
        return observed.price !== null && observed.price >= least
      case 'price_below':
        return observed.price !== null && observed.price <= least
      case 'volume_24h':
        return observed.volume_24h !== null && observed.volume_24h >= least
      case 'mindshare_delta':
        return beyond(observed.mindshare_delta, least)
      default:
        return observed.sentiment === limit
    }
  })
}
