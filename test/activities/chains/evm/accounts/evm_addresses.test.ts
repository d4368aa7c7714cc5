import { expect, test } from 'vitest'
import { z } from 'zod'

import { reparse } from '#activities/ingest/reparse.ts'
import type { Lake } from '#lake/lake.ts'
import { tradesOf } from '#sim/chains/simulated_chain.ts'
import { router } from '#sim/chains/wire.ts'
import { runBackfill } from '#test/activities/chains/evm/swaps/runs.ts'
import { swapsWorld, type SwapsWorld } from '#test/activities/chains/evm/swaps/swaps_world.ts'
import { newLake } from '#test/lake/fixture.ts'

const source = 'evm_addresses'
const rowShape = z.object({ address: z.string(), kind: z.string(), hasCode: z.boolean(), owner: z.string().nullable() })

const heldIn = (lake: Lake) =>
  lake.read(({ query }) =>
    query(
      `select address, kind, code_hash is not null as "hasCode", owner from lake.addresses order by address, seen_at`,
      rowShape,
    ),
  )

/** The wallets of the trades so far, and the contract that they call. Pools are no traders. */
function truthOf(world: SwapsWorld): z.infer<typeof rowShape>[] {
  const blocks = Array.from({ length: world.head() + 1 }, (_, block) => block)
  const wallets = new Set(blocks.flatMap((block) => tradesOf(world.chain(), block).map(({ wallet }) => wallet)))
  return [
    ...[...wallets].map((address) => ({ address, kind: 'eoa', hasCode: false, owner: null })),
    { address: router, kind: 'contract', hasCode: true, owner: null },
  ].toSorted((a, b) => (a.address < b.address ? -1 : 1))
}

const statesIn = (lake: Lake) =>
  lake.read(({ query }) =>
    query(
      `select state, coalesce(proof, reason) as why from lake.coverage where source = '${source}'`,
      z.object({ state: z.string(), why: z.string() }),
    ),
  )

test('every trader and the contract that they call are described once', async () => {
  const world = swapsWorld({ head: 120 })
  const lake = await newLake()
  const activities = world.activities(lake)
  await runBackfill(world, activities)
  const before = world.n_requests()
  expect(await runBackfill(world, activities, { source })).toMatchObject({ units: 1, failed: 0 })
  const truth = truthOf(world)
  expect(truth.length).toBeGreaterThan(20)
  expect(await heldIn(lake)).toEqual(truth)
  expect(await statesIn(lake)).toEqual([{ state: 'done', why: `the code of ${truth.length} addresses answered` }])
  // The head, and batches of the 20 calls that an unknown endpoint gets.
  expect(world.n_requests() - before).toBeLessThanOrEqual(1 + Math.ceil(truth.length / 20))

  // Nothing new: no request, also within the minute of the grid. New swaps: only wallets that are new.
  const asked = world.n_requests()
  await runBackfill(world, activities, { source })
  world.grow(60)
  await runBackfill(world, activities, { source })
  expect(world.n_requests()).toBe(asked)
  await runBackfill(world, activities)
  await runBackfill(world, activities, { source })
  expect(truthOf(world).length).toBeGreaterThan(truth.length)
  expect(await heldIn(lake)).toEqual(truthOf(world))

  const again = await reparse(lake, world.addresses, () => undefined)
  expect(again).toMatchObject({ units: 2, failed: [] })
  expect(await heldIn(lake)).toEqual(truthOf(world))
})

test('an endpoint behind the stored swaps describes nobody, and is asked again', async () => {
  const world = swapsWorld({ head: 120 })
  const lake = await newLake()
  const activities = world.activities(lake)
  await runBackfill(world, activities)
  world.setLag(5)
  expect(await runBackfill(world, activities, { source })).toMatchObject({ failed: 1 })
  expect(await heldIn(lake)).toEqual([])
  expect(await statesIn(lake)).toMatchObject([{ state: 'missing', why: expect.stringContaining('(lag)') }])
  world.setLag(0)
  expect(await runBackfill(world, activities, { source })).toMatchObject({ units: 1, failed: 0 })
  expect(await heldIn(lake)).toEqual(truthOf(world))
})

test('an endpoint without the method is a failure, and no address without code', async () => {
  const world = swapsWorld({ head: 120, without: 'eth_getCode' })
  const lake = await newLake()
  const activities = world.activities(lake)
  await runBackfill(world, activities)
  expect(await runBackfill(world, activities, { source })).toMatchObject({ failed: 1 })
  expect(await heldIn(lake)).toEqual([])
})

test('faults and cut answers of endpoints change nothing', async () => {
  const world = swapsWorld({ head: 120 })
  const lake = await newLake()
  const activities = world.activities(lake)
  await runBackfill(world, activities)
  world.setFaults(0.3)
  let failed = 1
  for (let n = 0; n < 20 && failed > 0; n++) ({ failed } = await runBackfill(world, activities, { source }))
  expect(failed).toBe(0)
  expect(await heldIn(lake)).toEqual(truthOf(world))
})
