import { venues } from './index.ts'

/** The forms of the ids of markets, as a pattern that is not anchored. */
export const marketIdPattern = `(${venues.map(({ id, market }) => `${id}:${market.form}`).join('|')})`

const marketId = new RegExp(`^${marketIdPattern}$`)

/** An id of a market in the case of its venue, as it is stored; null for other texts. */
export function parseMarketId(text: string): string | null {
  const venue = marketId.test(text) ? venues.find(({ id }) => text.startsWith(`${id}:`)) : undefined
  if (venue === undefined) return null
  const native = text.slice(venue.id.length + 1)
  return `${venue.id}:${venue.market.case === 'lower' ? native.toLowerCase() : native.toUpperCase()}`
}
