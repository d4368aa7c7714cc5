import type { World } from '#sim/markets/types.ts'
import { createIndexes } from '#sim/markets/wire/indexes.ts'
import type { Spoil } from '#sim/server/faults.ts'
import type { Ask, Instant, Reply } from '#sim/server/reply.ts'

import { createEvents } from './events.ts'
import { exposedWorld, isMade } from './exposed_world.ts'
import { createFeed } from './feed.ts'
import { createHistory } from './history.ts'
import { createMarkets } from './markets.ts'
import { atEdge, refuse, Rejected } from './parameters.ts'

/** The paths of the venue's hosts, by the names that the sources use. */
export const hostUrls = (url: string) => ({
  limitless: `${url}/limitless`,
  limitless_push: `${url.replace('http', 'ws')}/limitless_push`,
})

/** The venue's host over one world. */
export function createHosts(whole: World, spoil: Spoil): Record<string, (ask: Ask, at: Instant) => Reply> {
  const world = exposedWorld(whole)
  const indexes = createIndexes(world)
  const markets = createMarkets(world, indexes, spoil)
  const events = createEvents(world, indexes, spoil)
  const feed = createFeed(world, indexes, spoil)
  const history = createHistory(world, indexes, spoil)

  const route = ({ path, query }: Ask, at: Instant): Reply => {
    const [, folder, name = '', list] = path.split('/')
    if (folder === 'portfolio' && list === 'history') return history(name, query, at)
    if (folder !== 'markets' || name === '') throw new Rejected(404, `Cannot GET ${path}`)
    if (name === 'active') return list === 'slugs' ? markets.slugs(at) : markets.active(query, at)
    if (list === undefined) return markets.described(name, at)
    const market = markets.bySlug.get(name)
    const isKnown = market !== undefined && market.createdAt_s <= at.now_s
    if (isKnown && list === 'events' && !isMade(market)) return events(market, query, at)
    if (isKnown && list === 'get-feed-events' && isMade(market)) return feed(market, query, at)
    throw new Rejected(404, `Market ${name} not found`)
  }

  return {
    limitless: (ask, at) => {
      const refused = atEdge(ask.userAgent ?? '')
      if (refused !== undefined) return refused
      try {
        return route(ask, at)
      } catch (error) {
        if (error instanceof Rejected) return refuse(error)
        throw error
      }
    },
  }
}
