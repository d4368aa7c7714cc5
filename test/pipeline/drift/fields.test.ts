import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { createWorld } from '#sim/markets/world.ts'
import { sized } from '#test/run/sized.ts'

import { openReadings, textOf, type Readings } from './readings.ts'
import { damages, fieldsOf, routes } from './routes.ts'
import { onRoute } from './upstream.ts'

/** Each world has enough rows of its routes, and few others. */
const worlds = [
  {
    scale: 0.1,
    read: ['polymarket_markets', 'polymarket_resolutions', 'polymarket_trades', 'polymarket_activity'],
    routes: routes.filter(({ source }) => source !== 'polymarket_odds'),
  },
  {
    scale: 0.3,
    read: ['polymarket_markets', 'polymarket_odds'],
    routes: routes.filter(({ source }) => source === 'polymarket_odds'),
  },
]
/** The long form has every kind of each field. The full form has two kinds, which take turns. */
const kindsOf = sized(
  () => ['renamed'],
  (n: number) => (n % 2 === 0 ? ['renamed'] : ['retyped']),
  () => Object.keys(damages),
)

/**
 * A reading of a drifted upstream has the rows of a healthy one, or is not complete and has a reason. Each field of
 * each route is renamed, dropped, nulled and retyped, over a lake that was read before.
 */
describe.each(worlds)('a field of Polymarket that changes, at scale $scale', ({ scale, read, routes: own }) => {
  const world = createWorld({ seed: 5, scale })
  let readings: Readings
  beforeAll(async () => {
    readings = await openReadings({ polymarket: world }, world, read)
  })
  afterAll(() => readings.close())

  describe.each(own.map((route) => ({ ...route, route })))('by $source, in $path', ({ route }) => {
    let unit: Awaited<ReturnType<Readings['unitOf']>>
    let healthy: string
    beforeAll(async () => {
      unit = await readings.unitOf(route)
      healthy = textOf(await readings.readingOf(unit))
    })

    it.each(fieldsOf(route).map((field, n) => [field, n] as const))(
      '%s is noticed, or changes no row',
      async (field, n) => {
        const unnoticed: string[] = []
        for (const kind of kindsOf(n)) {
          const drift = onRoute(route.path, (body) => route.change(body, (row) => damages[kind]?.(row, field) ?? row))
          if ((await readings.outcomeOf(unit, drift, healthy)) === 'unnoticed') unnoticed.push(kind)
        }
        expect(unnoticed).toEqual([])
      },
    )
  })
})
