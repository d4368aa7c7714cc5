import { expect, test } from 'vitest'
import { z } from 'zod'

import type { Lake } from '#lake/lake.ts'
import { createRandom } from '#sim/random.ts'
import { newLake } from '#test/lake/fixture.ts'
import { sized } from '#test/run/sized.ts'

import { heldIn, tradesIn, trueTrades } from './held.ts'
import { followRound, runBackfill } from './runs.ts'
import { swapsWorld, type SwapsWorld } from './swaps_world.ts'

/** Blocks that a reorganization may replace on this chain. */
const finality = 30

/** A fresh lake that was read at once. */
async function backfilled(world: SwapsWorld): Promise<Record<string, string[]>> {
  const lake = await newLake()
  expect(await runBackfill(world, world.activities(lake))).toMatchObject({ failed: 0 })
  return heldIn(lake)
}

/** The stored units with their transactions. */
async function unitsIn(lake: Lake): Promise<{ from: number; to: number; txs: string[] }[]> {
  const units = await lake.read(({ query }) =>
    query(
      `select from_block, to_block from lake.coverage where dataset = 'swaps' and state in ('done', 'head')`,
      z.object({ from_block: z.coerce.number(), to_block: z.coerce.number() }),
    ),
  )
  const trades = await tradesIn(lake)
  return units.map(({ from_block: from, to_block: to }) => ({
    from,
    to,
    txs: trades.flatMap(({ block, tx }) => (block >= from && block < to ? [tx] : [])),
  }))
}

/** Throws unless each stored unit is, as a whole, that of one of the forks that the chain has had. */
async function assertOneForkEach(lake: Lake, forks: readonly ReturnType<typeof trueTrades>[]): Promise<void> {
  for (const { from, to, txs } of await unitsIn(lake)) {
    const isFork = forks.some((trades) => {
      const ofUnit = trades.filter(({ block }) => block >= from && block < to)
      return ofUnit.map(({ tx }) => tx).join() === txs.join()
    })
    expect({ from, isFork }).toEqual({ from, isFork: true })
  }
}

const n_reorgs = sized(10, 12, 50)

test(`${n_reorgs} reorganizations while following, one at the switch from a backfill, leave the lake of a fresh backfill`, async () => {
  const world = swapsWorld({ head: 180 })
  const random = createRandom(21, 1)
  const lake = await newLake()
  const activities = world.activities(lake)
  await runBackfill(world, activities)
  const forks = [trueTrades(world.chain(), world.head())]
  for (let n = 0; n < n_reorgs; n++) {
    // The first depth is that of finality, at the switch from the backfill.
    world.reorg(n === 0 ? finality : 1 + random.below(finality), random.below(6))
    forks.push(trueTrades(world.chain(), world.head()))
    world.setFaults(n % 3 === 2 ? 0.1 : 0)
    await followRound(world, activities)
    await assertOneForkEach(lake, forks)
  }
  world.setFaults(0)
  // A round reads the units that begin before its instant, which is on a grid of 30 seconds.
  world.grow(16)
  expect(await followRound(world, activities)).toBeNull()
  expect(await tradesIn(lake)).toEqual(trueTrades(world.chain(), world.head()))
  expect(await heldIn(lake)).toEqual(await backfilled(world))
})

test('without raw bodies each round reads the whole unit, with the same lake', async () => {
  const world = swapsWorld({ head: 130 })
  const lake = await newLake()
  const activities = world.activities(lake, false)
  await runBackfill(world, activities)
  for (const depth of [3, 25]) {
    world.reorg(depth, 2)
    expect(await followRound(world, activities)).toBeNull()
  }
  expect(await heldIn(lake)).toEqual(await backfilled(world))
})

test('a node that lags is no reorganization: the stored blocks stay', async () => {
  const world = swapsWorld({ head: 130 })
  const lake = await newLake()
  const activities = world.activities(lake)
  await runBackfill(world, activities)
  const before = await heldIn(lake)
  world.setLag(4)
  await followRound(world, activities)
  expect(await heldIn(lake)).toEqual(before)
  world.setLag(0)
  world.grow(1)
  expect(await followRound(world, activities)).toBeNull()
  expect(await tradesIn(lake)).toEqual(trueTrades(world.chain(), world.head()))
})

test('a reorganization above finality is no deep one where the unit has rejected rows', async () => {
  const world = swapsWorld({ head: 199 })
  const lake = await newLake()
  const activities = world.activities(lake)
  await runBackfill(world, activities)
  // It was read to its end, which is not final yet.
  const { numUpdatedRows } = await lake.catalog.db
    .updateTable('tapeline_coverage')
    .set({ state: 'quarantined' })
    .where('state', '=', 'head')
    .where('to_block', '=', 200)
    .where('end_snapshot', 'is', null)
    .executeTakeFirstOrThrow()
  expect(numUpdatedRows).toBeGreaterThan(0n)
  world.reorg(3, 2)
  expect(await followRound(world, activities)).toBeNull()
  const inUnit = ({ block }: { block: number }): boolean => block < 200
  expect((await tradesIn(lake)).filter(inUnit)).toEqual(trueTrades(world.chain(), world.head()).filter(inUnit))
})

test.each([
  ['inside the open unit', 150, 45],
  ['down into a closed unit', 240, 60],
])('a reorganization deeper than finality, %s, stops the chain until it is read again', async (_, head, depth) => {
  const world = swapsWorld({ head })
  const lake = await newLake()
  const activities = world.activities(lake)
  await runBackfill(world, activities)
  const before = await heldIn(lake)
  world.reorg(depth, 1)
  for (const n of [1, 150]) {
    expect(await followRound(world, activities)).toMatch(/^.*base: block \d+ was final and is replaced/)
    expect(withoutMissing(await heldIn(lake))).toEqual(before)
    world.grow(n)
  }
  const again = await runBackfill(world, activities, { refresh: true })
  expect(again).toMatchObject({ failed: 0 })
  expect(await heldIn(lake)).toEqual(await backfilled(world))
  world.grow(1)
  expect(await followRound(world, activities)).toBeNull()
})

const withoutMissing = (held: Record<string, string[]>): Record<string, string[]> => ({
  ...held,
  coverage: (held['coverage'] ?? []).filter((row) => !row.includes('"missing"')),
})
