import { kalshi } from './kalshi.ts'
import { limitless } from './limitless.ts'
import { polymarket } from './polymarket.ts'
import type { Venue } from './venue.ts'

/** All venues, in the order in which lists name them. A new venue is a file and a line here. */
export const venues: readonly [Venue, ...Venue[]] = [polymarket, kalshi, limitless]

export const venueIds: readonly [string, ...string[]] = [venues[0].id, ...venues.slice(1).map(({ id }) => id)]

export const anonymousVenues: readonly Venue[] = venues.filter(({ isAnonymous }) => isAnonymous)

/** Their names for people. */
export const anonymousLabels: string = anonymousVenues.map(({ label }) => label).join(', ')

/** The sources that read the histories of accounts. On which venues an address traded is not known before. */
export const accountSources: readonly string[] = venues.flatMap(({ accountSource }) => accountSource ?? [])
