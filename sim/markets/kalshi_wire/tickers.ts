import type { Event, Market, World } from '#sim/markets/types.ts'

const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']

/** The series of an event: one for each category. */
export const seriesTicker = ({ category }: Event): string => `KX${category.toUpperCase().replaceAll(/[^A-Z]/g, '')}`

/** `KXSPORTS-26AUG0812`: the series, the day of the creation and the number of the event. */
export const eventTicker = (event: Event): string => {
  const day = new Date(event.createdAt_s * 1000)
  const stamp = `${day.getUTCFullYear() % 100}${months[day.getUTCMonth()]}${String(day.getUTCDate()).padStart(2, '0')}`
  return `${seriesTicker(event)}-${stamp}${event.index}`
}

/** A side or strike follows the event, some with a decimal point. */
export const marketTicker = (world: World, market: Market): string => {
  const event = world.events[market.event]
  if (event === undefined) throw new RangeError(`market ${market.index}: no event; expected the index of an event`)
  const place = event.markets.indexOf(market.index)
  return `${eventTicker(event)}-${market.index % 4 === 1 ? `T${place}.5` : `M${place}`}`
}

/** Combinations of markets. */
export const comboTicker = (match: number): string => `KXMVECROSSCATEGORY-S2026${match.toString(16).toUpperCase()}-A`

/** The old markets of the world have no counterpart. */
export const isListed = ({ kind }: Market): boolean => kind !== 'legacy'
