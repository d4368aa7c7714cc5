import { expect, test } from 'vitest'
import { z } from 'zod'

import { reparse } from '#ingest/reparse.ts'
import type { Lake } from '#lake/lake.ts'
import { newcomersOf, tradesOf } from '#sim/chains/simulated_chain.ts'
import { router } from '#sim/chains/wire.ts'
import { newLake } from '#test/lake/fixture.ts'
import { runBackfill } from '#test/sources/evm/swaps/runs.ts'
import { swapsWorld, type SwapsWorld } from '#test/sources/evm/swaps/swaps_world.ts'

const source = 'evm_addresses'
const rowShape = z.object({
  address: z.string(),
  kind: z.string(),
  hasCode: z.boolean(),
  owner: z.string().nullable(),
  first_tx_s: z.coerce.number().nullable(),
})

const heldIn = (lake: Lake) =>
  lake.read(({ query }) =>
    query(
      `select address, kind, code_hash is not null as "hasCode", owner, epoch_us(first_tx_at) // 1000000 as first_tx_s
       from lake.addresses order by address, seen_at`,
      rowShape,
    ),
  )

/**
 * The wallets of the trades so far, and the contract that they call. Pools are no traders. A newcomer's first
 * transaction is its first trade, unless `isDated` is false.
 */
function truthOf(world: SwapsWorld, isDated = true): z.infer<typeof rowShape>[] {
  const newcomers = new Set(isDated ? newcomersOf(world.chain()) : [])
  const firsts = new Map<string, number>()
  for (let block = 0; block <= world.head(); block++)
    for (const { wallet } of tradesOf(world.chain(), block)) if (!firsts.has(wallet)) firsts.set(wallet, block)
  const dateOf = (address: string, block: number): number | null =>
    newcomers.has(address) ? world.chain().start_s + world.chain().block_s * block : null
  return [
    ...[...firsts].map(([address, block]) => {
      return { address, kind: 'eoa', hasCode: false, owner: null, first_tx_s: dateOf(address, block) }
    }),
    { address: router, kind: 'contract', hasCode: true, owner: null, first_tx_s: null },
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
  // The head, codes and nonces in batches of the 20 calls that an unknown endpoint gets, the old block, and for
  // newcomers the nonces at the head and in the middles of what is left of the blocks, and the headers.
  const [batches, halvings, oldBlock] = [Math.ceil(truth.length / 20), Math.ceil(Math.log2(world.head())), 2]
  expect(truth.filter(({ first_tx_s }) => first_tx_s !== null).length).toBeGreaterThan(5)
  expect(world.n_requests() - before).toBeLessThanOrEqual(1 + 2 * batches + oldBlock + 1 + halvings + 1)

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
  world.setFaults(0.2)
  let failed = 1
  for (let n = 0; n < 20 && failed > 0; n++) ({ failed } = await runBackfill(world, activities, { source }))
  expect(failed).toBe(0)
  expect(await heldIn(lake)).toEqual(truthOf(world))
})

test('the first endpoint with the state of the old blocks dates the newcomers', async () => {
  const world = swapsWorld({ head: 120, n_states: [50, Infinity] })
  const lake = await newLake()
  const activities = world.activities(lake)
  await runBackfill(world, activities)
  expect(await runBackfill(world, activities, { source })).toMatchObject({ units: 1, failed: 0 })
  expect(await heldIn(lake)).toEqual(truthOf(world))
  // The pruned endpoint still serves everything else.
  const [pruned, whole] = ['rpc_base_1', 'rpc_base_2'].map(world.stateOf)
  expect(pruned?.firstState).toBeGreaterThan(0)
  expect([pruned?.firstBlock, whole?.firstState, whole?.firstBlock]).toEqual([0, 0, 0])
})

test.each([
  ['the state of the old blocks', { n_states: [50, 50] }],
  ['the method', { without: 'eth_getTransactionCount' }],
])('without an endpoint with %s, accounts are described without a date', async (_, missing) => {
  const world = swapsWorld({ head: 120, ...missing })
  const lake = await newLake()
  const activities = world.activities(lake)
  await runBackfill(world, activities)
  expect(await runBackfill(world, activities, { source })).toMatchObject({ units: 1, failed: 0 })
  const truth = truthOf(world, false)
  expect(await heldIn(lake)).toEqual(truth)
  const lacking = `${truth.length - 1} are unknown, since no endpoint has the state of the old blocks`
  expect(await statesIn(lake)).toMatchObject([{ state: 'done', why: expect.stringContaining(lacking) }])
  // The endpoints are known to lack it, so the next accounts cost one attempt less, and no other work avoids them.
  world.grow(60)
  expect(await runBackfill(world, activities)).toMatchObject({ failed: 0 })
  expect(await runBackfill(world, activities, { source })).toMatchObject({ units: 1, failed: 0 })
  expect(await heldIn(lake)).toEqual(truthOf(world, false))
})
