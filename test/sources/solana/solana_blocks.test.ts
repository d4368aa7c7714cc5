import { expect, test } from 'vitest'
import { z } from 'zod'

import { reparse } from '#ingest/reparse.ts'
import type { Lake } from '#lake/lake.ts'
import { publicLimits } from '#sim/solana/rate_limits.ts'
import { newLake } from '#test/lake/fixture.ts'
import { sized } from '#test/run/sized.ts'
import { heldIn } from '#test/sources/evm/swaps/held.ts'
import { followRound, runBackfill } from '#test/sources/evm/swaps/runs.ts'

import { solanaHouse } from './solana_house.ts'

const source = 'solana_blocks'
const all = { source }

const blocksIn = (lake: Lake) =>
  lake.read(({ query }) =>
    query(
      'select block, parent_block, hash from lake.blocks order by block',
      z.object({ block: z.coerce.number(), parent_block: z.coerce.number(), hash: z.string() }),
    ),
  )

const statesIn = (lake: Lake) =>
  lake.read(({ query }) =>
    query(
      `select distinct from_block, to_block, state from lake.coverage order by from_block`,
      z.object({ from_block: z.coerce.number(), to_block: z.coerce.number(), state: z.string() }),
    ),
  )

test('a backfill has every block of the chain, and skipped slots have none', async () => {
  const house = solanaHouse()
  const lake = await newLake()
  expect(await runBackfill(house, house.activities(lake), all)).toMatchObject({ units: 3, failed: 0, quarantined: 0 })
  const truth = [...house.world.blocks.values()].filter(({ slot }) => slot < 300)
  expect(truth.length).toBeLessThan(290)
  expect(await blocksIn(lake)).toEqual(
    truth.map(({ slot, parent, hash }) => ({ block: slot, parent_block: parent, hash })),
  )
  expect(await statesIn(lake)).toEqual(
    [0, 100, 200].map((from) => ({ from_block: from, to_block: from + 100, state: 'done' })),
  )
})

test('blocks that are not final are not read: a fork leaves no row', async () => {
  const house = solanaHouse()
  const lake = await newLake()
  house.setHead(299)
  const activities = house.activities(lake)
  expect(await followRound(house, activities, source)).toBeNull()
  expect((await statesIn(lake)).map(({ to_block }) => to_block)).toEqual([100, 200])
  const hashes = new Map([...house.world.blocks].map(([slot, { hash }]) => [slot, hash]))
  for (const { block, hash } of await blocksIn(lake)) expect(hash).toBe(hashes.get(block))
  house.setHead(400)
  expect(await followRound(house, activities, source)).toBeNull()
  expect((await statesIn(lake)).map(({ to_block }) => to_block)).toEqual([100, 200, 300])
})

test('faults, missing blocks and repeated transactions change nothing', async () => {
  const clean = await newLake()
  const house = solanaHouse({ n_slots: 110 })
  await runBackfill(house, house.activities(clean), all)
  const truth = await heldIn(clean)
  for (let n = 0; n < sized(2, 3, 5); n++) {
    const faulty = solanaHouse({ n_slots: 110 })
    const lake = await newLake()
    faulty.setFaults(0.02 + 0.02 * (n % 3))
    await runBackfill(faulty, faulty.activities(lake), all)
    faulty.setFaults(0)
    // A failed unit is missing, and the next run reads it.
    expect(await runBackfill(faulty, faulty.activities(lake), all)).toMatchObject({ failed: 0, quarantined: 0 })
    expect(await heldIn(lake)).toEqual(truth)
  }
})

test('the limits of a node cost time and no row', async () => {
  const house = solanaHouse({ n_slots: 110 })
  const free = await newLake()
  await runBackfill(house, house.activities(free), all)
  // The window of a node has room for a part of a unit.
  const limited = solanaHouse({ n_slots: 110, limits: { ...publicLimits, most: 30, mostOfMethod: 20 } })
  const lake = await newLake()
  expect(await runBackfill(limited, limited.activities(lake), all)).toMatchObject({ failed: 0, quarantined: 0 })
  expect(limited.n_refused()).toBeGreaterThan(3)
  expect(await heldIn(lake)).toEqual(await heldIn(free))
})

test('a reparse gives the same rows from the raw bodies', async () => {
  const house = solanaHouse({ n_slots: 110 })
  const lake = await newLake()
  await runBackfill(house, house.activities(lake), all)
  const before = await heldIn(lake)
  const asked = house.n_requests()
  expect(await reparse(lake, house.sources.blocks, () => undefined)).toMatchObject({
    units: 1,
    quarantined: 0,
    failed: [],
  })
  expect(house.n_requests()).toBe(asked)
  expect(await heldIn(lake)).toEqual(before)
})
