import { expect, it } from 'vitest'

import { createWorld } from '#sim/markets/world.ts'
import { sized } from '#test/run/sized.ts'

import { listDrifts } from './lists.ts'
import { openReadings } from './readings.ts'
import { damages, fieldsOf, routes, type Route } from './routes.ts'
import { answering, onRoute, type Drift } from './upstream.ts'
import { venues } from './venues.ts'

/** The long form has every case of the matrix, the others a field, a list and an outage of each route. */
const fieldsAtMost = sized(1, 1, Infinity)
const othersAtMost = sized(1, 1, Infinity)
const kinds = sized(['renamed'], ['renamed'], Object.keys(damages))
const outages: Record<string, (path: string) => Drift> = {
  'answers 404': (path) => answering(path, 404, '{"error":"not found"}'),
  'answers in HTML': (path) => answering(path, 200, '<html>maintenance</html>'),
  'answers 500': (path) => answering(path, 500, '{"error":"internal"}'),
}

const polymarket = {
  venue: 'polymarket',
  scale: sized(0.03, 0.03, 0.06),
  read: ['polymarket_markets', 'polymarket_resolutions', 'polymarket_trades', 'polymarket_activity', 'polymarket_odds'],
  fields: routes,
  lists: routes.filter(({ source }) => source !== 'polymarket_resolutions'),
  limits: {},
}

/** The faults of a route. A list has those of lists too. */
function faultsOf(route: Route, isList: boolean): Drift[] {
  const fields = fieldsOf(route).slice(0, fieldsAtMost)
  const ofFields = fields.flatMap((field) =>
    kinds.map((kind) => onRoute(route.path, (body) => route.change(body, (row) => damages[kind]?.(row, field) ?? row))),
  )
  const ofLists = isList ? Object.values(listDrifts).slice(0, othersAtMost) : []
  const others = [...ofLists, ...Object.values(outages).slice(0, othersAtMost)]
  return [...ofFields, ...others.map((drift) => drift(route.path))]
}

/**
 * Every fault is stored in one lake, each over the one before it. One refresh of a healthy upstream then leaves nothing
 * of any of them.
 */
it.each([...venues, polymarket])(
  'a lake of $venue that was read with every fault is that of a healthy upstream after one refresh',
  async ({ venue, scale, read, fields, lists, limits }) => {
    const world = createWorld({ seed: 5, scale })
    const readings = await openReadings({ [venue]: world }, world, read, limits)
    try {
      await readings.refresh()
      const healthy = await readings.stored()
      for (const route of fields) {
        const unit = await readings.unitOf(route)
        const isList = lists.some(({ source, path }) => source === route.source && path === route.path)
        for (const drift of faultsOf(route, isList)) await readings.store(unit, drift)
      }
      expect(await readings.stored()).not.toEqual(healthy)
      await readings.refresh()
      expect(await readings.stored()).toEqual(healthy)
    } finally {
      await readings.close()
    }
  },
)
