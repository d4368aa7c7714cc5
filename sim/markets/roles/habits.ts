import type { Archetype } from '#sim/markets/types.ts'

/** What a trader does. */
export const strategies = [
  'market_maker',
  'poster',
  'patient',
  'gambler',
  'bot',
  'momentum',
  'dip',
  'longshot',
  'favorite',
  'whale',
  'in_play',
  'burst',
  'copier',
  'washer',
  'pusher',
  'early',
  'modeller',
  'sniper',
  'knower',
  'courtsider',
] as const
export type Strategy = (typeof strategies)[number]

/** How a trader fills orders: it takes, it makes, or it does both. */
export type Role = 'taker' | 'maker'

export type Habit = {
  role: Role
  /** Traders among a thousand. */
  share: number
  /** Whether it knows, or judges, better than the market. */
  isSkilled: boolean
  /** The typical stake in US dollars, from the least to that of one trader in a hundred. */
  bet_usd: readonly [number, number]
  /** The relative activity of a participant; makers wait. */
  rate: number
  /** The probability of taking part in an event with, and without, a scheduled start. */
  attends: readonly [number, number]
  /** The archetype that the venue's other simulated rows follow: income, redemptions. */
  archetype: Archetype
}

/**
 * One row a strategy.
 *
 * Skilled takers: `early` knows the news of the next hours, `modeller` sees where the price is off, `sniper` takes
 * orders that news has passed, `knower` knows the outcome before any close does, `courtsider` sees play before the
 * venue. Makers: `market_maker` quotes both sides and leans to one of them, `poster` rests orders on one side, `patient`
 * rests them only where the price is off.
 */
// prettier-ignore
export const habits: Record<Strategy, Habit> = {
  market_maker: { role: 'maker', share: 26, isSkilled: false, bet_usd: [200, 900], rate: 0, attends: [0.16, 0.16], archetype: 'market_maker' },
  poster: { role: 'maker', share: 110, isSkilled: false, bet_usd: [20, 400], rate: 0, attends: [0.2, 0.2], archetype: 'generalist' },
  patient: { role: 'maker', share: 12, isSkilled: true, bet_usd: [30, 300], rate: 0, attends: [0.5, 0.5], archetype: 'generalist' },
  gambler: { role: 'taker', share: 300, isSkilled: false, bet_usd: [5, 1500], rate: 1, attends: [0.25, 0.25], archetype: 'generalist' },
  bot: { role: 'taker', share: 50, isSkilled: false, bet_usd: [5, 30], rate: 4, attends: [0.5, 0.5], archetype: 'generalist' },
  momentum: { role: 'taker', share: 55, isSkilled: false, bet_usd: [10, 600], rate: 2, attends: [0.25, 0.4], archetype: 'momentum_chaser' },
  dip: { role: 'taker', share: 40, isSkilled: false, bet_usd: [10, 600], rate: 2, attends: [0.25, 0.4], archetype: 'generalist' },
  longshot: { role: 'taker', share: 60, isSkilled: false, bet_usd: [3, 200], rate: 1.6, attends: [0.25, 0.4], archetype: 'longshot_hunter' },
  favorite: { role: 'taker', share: 60, isSkilled: false, bet_usd: [20, 1500], rate: 1.6, attends: [0.25, 0.4], archetype: 'favorite_backer' },
  whale: { role: 'taker', share: 8, isSkilled: false, bet_usd: [800, 6000], rate: 3, attends: [0.3, 0.4], archetype: 'whale' },
  in_play: { role: 'taker', share: 50, isSkilled: false, bet_usd: [5, 400], rate: 3, attends: [0.3, 0], archetype: 'generalist' },
  burst: { role: 'taker', share: 40, isSkilled: false, bet_usd: [10, 800], rate: 9, attends: [0.5, 0.5], archetype: 'generalist' },
  copier: { role: 'taker', share: 36, isSkilled: false, bet_usd: [10, 300], rate: 0, attends: [0.8, 0.8], archetype: 'generalist' },
  washer: { role: 'taker', share: 12, isSkilled: false, bet_usd: [50, 300], rate: 0.6, attends: [0.25, 0.25], archetype: 'generalist' },
  pusher: { role: 'taker', share: 4, isSkilled: false, bet_usd: [200, 500], rate: 0.8, attends: [0.4, 0], archetype: 'generalist' },
  early: { role: 'taker', share: 24, isSkilled: true, bet_usd: [15, 600], rate: 5, attends: [0.65, 0.65], archetype: 'sharp' },
  modeller: { role: 'taker', share: 24, isSkilled: true, bet_usd: [15, 600], rate: 5, attends: [0.65, 0.65], archetype: 'value_hunter' },
  sniper: { role: 'taker', share: 10, isSkilled: true, bet_usd: [15, 400], rate: 6, attends: [0.6, 0.6], archetype: 'sharp' },
  knower: { role: 'taker', share: 9, isSkilled: true, bet_usd: [50, 1500], rate: 2, attends: [0.25, 0.35], archetype: 'sharp' },
  courtsider: { role: 'taker', share: 6, isSkilled: true, bet_usd: [20, 400], rate: 5, attends: [0.5, 0], archetype: 'sharp' },
}

/** Skilled takers who trade on what others than the market learn later. */
export const copied: readonly Strategy[] = ['early', 'modeller', 'sniper']
