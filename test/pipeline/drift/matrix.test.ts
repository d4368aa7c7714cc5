import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import type { Unit } from '#lake/units/unit.ts'
import { createWorld } from '#sim/markets/world.ts'
import { sized } from '#test/run/sized.ts'

import { listDrifts } from './lists.ts'
import { openReadings, textOf, type Readings } from './readings.ts'
import { damages, fieldsOf } from './routes.ts'
import { onRoute } from './upstream.ts'
import { venues } from './venues.ts'

/** The long form has every kind of each field. The full form has two kinds, which take turns. */
const kindsOf = sized(
  () => ['renamed'],
  (n: number) => (n % 2 === 0 ? ['renamed'] : ['retyped']),
  () => Object.keys(damages),
)
/** The short and the full form leave out the lists that read like another. */
const fewListKinds = ['repeats its last row', 'shows half of each page']
const listKinds = sized(fewListKinds, fewListKinds, Object.keys(listDrifts))

/** A reading of an upstream that drifts has the rows of a healthy one, or is not complete and has a reason. */
describe.each(venues)('$venue', ({ venue, scale, read, fields, lists, limits }) => {
  const world = createWorld({ seed: 5, scale })
  let readings: Readings
  beforeAll(async () => {
    readings = await openReadings({ [venue]: world }, world, read, limits)
  })
  afterAll(() => readings.close())

  describe.each(fields.map((route) => ({ ...route, route })))('as $source reads $path', ({ route }) => {
    let unit: Unit
    let healthy: string
    beforeAll(async () => {
      unit = await readings.unitOf(route)
      healthy = textOf(await readings.readingOf(unit))
    })

    it.each(fieldsOf(route).map((field, n) => [field, n] as const))(
      'changes %s: it is noticed, or changes no row',
      async (field, n) => {
        for (const kind of kindsOf(n)) {
          const drift = onRoute(route.path, (body) => route.change(body, (row) => damages[kind]?.(row, field) ?? row))
          expect([kind, await readings.outcomeOf(unit, drift, healthy)]).not.toEqual([kind, 'unnoticed'])
        }
      },
    )

    const isList = lists.some(({ source, path }) => source === route.source && path === route.path)
    it.each(isList ? listKinds : [])('%s: it is noticed, or changes no row', async (name) => {
      const drift = listDrifts[name]
      if (drift === undefined) throw new Error(`drift ${name}: unknown; expected one of the list`)
      expect(await readings.outcomeOf(unit, drift(route.path), healthy)).not.toBe('unnoticed')
    })
  })
})
