import { expect, test } from 'vitest'
import { z } from 'zod'

import { reparse } from '#ingest/reparse.ts'
import { newLake } from '#test/lake/fixture.ts'

import { heldIn, tradesIn, trueTrades } from './held.ts'
import { followRound, runBackfill } from './runs.ts'
import { swapsWorld } from './swaps_world.ts'

const statesOf = async (lake: Awaited<ReturnType<typeof newLake>>) =>
  lake.read(({ query }) =>
    query(
      `select from_block, to_block, state from lake.coverage where dataset = 'swaps' order by from_block`,
      z.object({ from_block: z.coerce.number(), to_block: z.coerce.number(), state: z.string() }),
    ),
  )

test('a backfill has every trade of the chain, and closes the units that are final', async () => {
  const world = swapsWorld()
  const lake = await newLake()
  const done = await runBackfill(world, world.activities(lake))
  expect(done).toMatchObject({ units: 3, failed: 0, quarantined: 0 })
  const trades = await tradesIn(lake)
  expect(trades.length).toBeGreaterThan(150)
  expect(trades).toEqual(trueTrades(world.chain(), world.head()))
  expect(await statesOf(lake)).toEqual([
    { from_block: 0, to_block: 100, state: 'done' },
    { from_block: 100, to_block: 200, state: 'done' },
    { from_block: 200, to_block: 251, state: 'head' },
  ])
})

test('a follow reads new blocks alone, and nothing while there are none', async () => {
  const world = swapsWorld()
  const lake = await newLake()
  const activities = world.activities(lake)
  await runBackfill(world, activities)
  const all = world.n_requests()
  world.grow(4)
  expect(await followRound(world, activities)).toBeNull()
  expect(world.n_requests() - all).toBeLessThan(all / 3)
  expect(await tradesIn(lake)).toEqual(trueTrades(world.chain(), world.head()))
  const before = await heldIn(lake)
  await followRound(world, activities)
  expect(await heldIn(lake)).toEqual(before)
})

test('a reparse gives the same rows from the raw bodies, also of a unit that was read in several pieces', async () => {
  const world = swapsWorld()
  const lake = await newLake()
  const activities = world.activities(lake)
  await runBackfill(world, activities)
  for (let round = 0; round < 3; round++) {
    world.reorg(5, 7)
    expect(await followRound(world, activities)).toBeNull()
  }
  const before = await heldIn(lake)
  const asked = world.n_requests()
  const tally = await reparse(lake, world.source, () => undefined)
  expect(tally).toMatchObject({ units: 3, quarantined: 0, failed: [] })
  expect(world.n_requests()).toBe(asked)
  expect(await heldIn(lake)).toEqual(before)
})

test('a chain that is read whole has the same trades, also where a node does not serve the receipts of a block', async () => {
  const trades = await Promise.all(
    [{ whole: 'base' }, { whole: 'base', without: 'eth_getBlockReceipts' }, { without: 'eth_getBlockReceipts' }].map(
      async (options) => {
        const world = swapsWorld({ head: 120, ...options })
        const lake = await newLake()
        const activities = world.activities(lake)
        await runBackfill(world, activities)
        world.reorg(7, 9)
        expect(await followRound(world, activities)).toBeNull()
        expect(await tradesIn(lake)).toEqual(trueTrades(world.chain(), world.head()))
        return heldIn(lake)
      },
    ),
  )
  const [first, ...others] = trades.map(({ coverage: _, ...rows }) => rows)
  for (const rows of others) expect(rows).toEqual(first)
})

test('a follow that begins far behind reads the head and the newest units first', async () => {
  const world = swapsWorld({ head: 2_050 })
  const lake = await newLake()
  const activities = world.activities(lake)
  const reached = async () => (await statesOf(lake)).map(({ from_block }) => from_block)
  expect(await followRound(world, activities)).toBeNull()
  expect(await reached()).toEqual(Array.from({ length: 20 }, (_, n) => 100 + 100 * n))
  world.grow(40)
  expect(await followRound(world, activities)).toBeNull()
  expect(await reached()).toEqual(Array.from({ length: 21 }, (_, n) => 100 * n))
})
