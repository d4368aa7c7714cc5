import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { createWorld } from '#sim/markets/world.ts'
import { sized } from '#test/run/sized.ts'

import { damages } from './routes.ts'
import { casesOf, driftingVenues, inTurns, modes, others } from './stored_cases.ts'
import { openStoredFacts, type StoredFacts } from './stored_facts.ts'

const [refreshed, , , readLater] = modes
const few = [refreshed, readLater].filter((mode) => mode !== undefined)
/**
 * A short run has a sample of each route. A full run has the faults that the guard is about on each route, and
 * each other fault on a route of each venue. The long form has every case of the matrix.
 */
const size = sized(
  { fields: 1, kinds: ['renamed'], others: ['shows nothing', 'lists half of its rows'], modesOf: () => few },
  { fields: 1, kinds: ['renamed', 'retyped', 'dropped'], others: Object.keys(others), modesOf: inTurns },
  { fields: Infinity, kinds: Object.keys(damages), others: Object.keys(others), modesOf: () => modes },
)

/**
 * No reading makes the lake worse: whatever a source shows, no stored row is lost or changed, what was refused is said,
 * and a healthy upstream afterwards leaves nothing of it by the plain command.
 */
describe.each(driftingVenues)('$venue', ({ venue, scale, read, fields, limits }) => {
  const world = createWorld({ seed: 5, scale })
  let facts: StoredFacts
  beforeAll(async () => {
    facts = await openStoredFacts({ [venue]: world }, world, { read, limits })
  })
  afterAll(() => facts.close())

  describe.each(fields.map((route, turn) => ({ ...route, route, turn })))(
    'as $source reads $path',
    ({ route, turn }) => {
      it.each(casesOf(route, size, turn))('%s', async (_, tried) => {
        expect(await facts.problemsOf(tried)).toEqual([])
      })
    },
  )
})
