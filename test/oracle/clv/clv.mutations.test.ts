import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import type { Model } from '#builder/model.ts'

import { arithmeticBugs } from './bugs/arithmetic.ts'
import { priceBugs, type Bug } from './bugs/prices.ts'
import { scoreBugs } from './bugs/scores.ts'
import { removeSources, replaced, sourceWith } from './bugs/sources.ts'
import { oracleClv } from './clv.ts'
import { differences } from './differences.ts'
import { lakeRows } from './lake.ts'
import { clvModels, runClv, withClv } from './models.ts'
import { populations, unlike, type Arithmetic } from './populations.ts'
import { as_of, worlds } from './worlds.ts'

const size: Parameters<typeof worlds>[0] = { events: [45, 50], steps: [1_100, 1_100], traders: [3, 4] }
/** Worlds of enough traders for a slope over makers and takers. */
const crowd: typeof size = { events: [40, 40], steps: [1_600, 1_600], traders: [12, 12] }
/** Worlds with and without variance between traders, in which each bug is to be seen. */
const cases = [
  { of: size, seed: 10 },
  { of: size, seed: 6 },
  { of: crowd, seed: 1 },
  { of: size, seed: 3 },
  { of: size, seed: 4 },
]
  .flatMap(({ of, seed }) => fc.sample(worlds(of), { seed, numRuns: 1 }))
  .map((world) => ({ rows: lakeRows(world, as_of - 300 * 86_400_000_000), oracle: oracleClv(world) }))

let models: Model[] = []
beforeAll(async () => {
  models = await clvModels()
})
afterAll(removeSources)

/** The models with a bug in them. */
function planted(bug: Bug): Model[] {
  const found = models.map((model) =>
    `${model.layer}.${model.name}` === bug.in ? { ...model, sql: replaced(model.sql, bug) } : model,
  )
  expect(found.filter((model, i) => model !== models[i])).toHaveLength(1)
  return found
}

async function arithmeticWith(bug: Bug): Promise<Arithmetic> {
  const load = await sourceWith(bug)
  return {
    ...(await load('shrinkage.ts')),
    ...(await load('summarize.ts')),
    ...(await load('discovery_rates.ts')),
  } as Arithmetic
}

describe('planted bugs', () => {
  it('are none in the models as they are', async () => {
    for (const { rows, oracle } of cases) expect(differences(await runClv(models, rows), oracle)).toEqual([])
  })

  it('are found, each by a figure of some world', async () => {
    const unseen = new Set([...priceBugs, ...scoreBugs])
    for (const { rows, oracle } of cases) {
      await withClv(rows, 1, async (run) => {
        for (const bug of unseen) {
          if (differences(await run(planted(bug)), oracle).length > 0) unseen.delete(bug)
        }
      })
    }
    expect([...unseen].map(({ what }) => what)).toEqual([])
  })

  it('of the arithmetic are found, each by a figure of some population', async () => {
    const samples = fc.sample(populations(40, 60), { seed: 5, numRuns: 3 })
    samples.push(...fc.sample(populations(3, 12), { seed: 5, numRuns: 12 }))
    // Enough takers of ten clusters for parts.
    samples.push(...fc.sample(populations(520, 530), { seed: 5, numRuns: 1 }))
    const unseen: string[] = []
    for (const bug of arithmeticBugs) {
      const arithmetic = await arithmeticWith(bug)
      if (samples.every((kinds) => unlike(arithmetic, kinds).length === 0)) unseen.push(bug.what)
    }
    expect(unseen).toEqual([])
  })
})
