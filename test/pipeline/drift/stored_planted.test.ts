import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'

import type * as guardModule from '#ingest/guard.ts'
import type * as storeModule from '#lake/units/store_unit.ts'
import type * as storedModule from '#lake/units/stored_unit.ts'
import { createWorld } from '#sim/markets/world.ts'

import { casesOf, driftingVenues, modes } from './stored_cases.ts'
import { openStoredFacts, type Case, type StoredFacts } from './stored_facts.ts'

/** The parts of the rule that are disabled. */
const disabled = vi.hoisted(() => ({ guard: false, refusal: false, plan: false }))

vi.mock('#ingest/guard.ts', async (original) => {
  const module = await original<typeof guardModule>()
  const guard: typeof module.guard = (lake, unit, reading) =>
    disabled.guard ? Promise.resolve(reading) : module.guard(lake, unit, reading)
  return { ...module, guard }
})
vi.mock('#lake/units/store_unit.ts', async (original) => {
  const module = await original<typeof storeModule>()
  const storeRefusal: typeof module.storeRefusal = async (...args) =>
    disabled.refusal ? undefined : module.storeRefusal(...args)
  return { ...module, storeRefusal }
})
vi.mock('#lake/units/stored_unit.ts', async (original) => {
  const module = await original<typeof storedModule>()
  const faultyUnits: typeof module.faultyUnits = async (...args) =>
    disabled.plan ? new Set() : module.faultyUnits(...args)
  return { ...module, faultyUnits }
})

/** A refresh of a venue whose list of trades has half of its rows. */
const [polymarket] = driftingVenues.filter(({ venue }) => venue === 'polymarket')
const halved = polymarket?.fields
  .filter(({ source }) => source === 'polymarket_trades')
  .flatMap((route) => {
    const refreshed = modes.filter(({ isRefresh, isLater }) => isRefresh && !isLater)
    return casesOf(route, { fields: 0, kinds: [], others: ['lists half of its rows'], modesOf: () => refreshed })
  })
  .map(([, tried]) => tried)

let facts: StoredFacts
let tried: Case
beforeAll(async () => {
  const world = createWorld({ seed: 5, scale: 0.02 })
  const [first] = halved ?? []
  if (first === undefined) throw new Error('halved trades: no case; expected one')
  tried = first
  facts = await openStoredFacts({ polymarket: world }, world, { read: polymarket?.read ?? [] })
})
afterAll(() => facts.close())
beforeEach(() => {
  Object.assign(disabled, { guard: false, refusal: false, plan: false })
})

it.each([
  ['the mark of refused units', { refusal: true }, /^refused, but the command says 0$/],
  ['the plan of refused units', { plan: true }, /^worse: /],
  ['the rule', { guard: true }, /^lost: /],
])('a lake without %s is found', async (_, planted, problem) => {
  expect(await facts.problemsOf(tried)).toEqual([])
  Object.assign(disabled, planted)
  expect(await facts.problemsOf(tried)).toContainEqual(expect.stringMatching(problem))
  // The next plain backfill is of the whole rule again.
  Object.assign(disabled, { guard: false, refusal: false, plan: false })
  await facts.problemsOf(tried)
})
