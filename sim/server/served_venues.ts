import type { Answer } from '#sim/markets/venue.ts'
import { venues, type VenueName, type Worlds } from '#sim/markets/venues.ts'

import { createSpoiler, rowKinds, type Faults, type RowKind } from './faults.ts'
import type { Feed } from './push.ts'
import type { VenueLimit } from './rate_limits.ts'

/** The hosts of the venues that have a world. Each venue draws its damaged rows by itself. */
export function servedVenues(worlds: Worlds, { dataApi, faults }: { dataApi: 'v2' | 'v1'; faults: Faults }) {
  const answers = new Map<string, Answer>()
  const feeds = new Map<string, Feed>()
  const served = Object.entries(venues).flatMap(([name, venue]) => {
    const world = worlds[name as VenueName]
    if (world === undefined) return []
    const spoiler = createSpoiler(faults, venue.damages)
    const hosts = venue.create(world, { dataApi, spoil: spoiler.spoil })
    for (const [host, answer] of Object.entries(hosts)) answers.set(host, answer)
    for (const [host, feed] of Object.entries(venue.feeds?.(world) ?? {})) feeds.set(host, feed)
    return [{ venue, counts: spoiler.counts }]
  })
  return {
    answers,
    feeds,
    limits: served.flatMap(({ venue }) =>
      venue.limits.map((limit): VenueLimit => ({ ...limit, refusal: venue.refusal })),
    ),
    urls: (url: string) => Object.fromEntries(served.flatMap(({ venue }) => Object.entries(venue.urls(url)))),
    spoiled: (): Record<RowKind, number> => {
      const sum = { trades: 0, activity: 0, markets: 0, resolutions: 0 }
      for (const { counts } of served) for (const kind of rowKinds) sum[kind] += counts()[kind]
      return sum
    },
  }
}
