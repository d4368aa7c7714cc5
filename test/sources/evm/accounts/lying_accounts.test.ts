import { expect, test } from 'vitest'
import { z } from 'zod'

import { reparse } from '#ingest/reparse.ts'
import type { Lake } from '#lake/lake.ts'
import { newLake } from '#test/lake/fixture.ts'
import { sized } from '#test/run/sized.ts'
import { lying, type Lies } from '#test/sources/evm/swaps/lies.ts'

import { accountsHouse, request, rounds, type AccountsHouse } from './accounts_house.ts'
import { addressOf } from './sparse_chain.ts'
import { chainOf, end, trades } from './trades.ts'

const wallet = addressOf('wallet', 1)
const limits = { size: 10_000, most: 20_000 }
const mine = trades(wallet, 300, [2_000, end])
const truth = mine.map(({ block }) => block).toSorted((a, b) => a - b)

const stateShape = z.object({
  from: z.coerce.number(),
  to: z.coerce.number(),
  state: z.string(),
  reason_code: z.string().nullable(),
})
const heldIn = (lake: Lake) =>
  lake.read(async ({ query }) => ({
    stretches: await query(
      `select from_block as from, to_block as to, state, reason_code from lake.coverage
       where dataset = 'transactions' order by 1`,
      stateShape,
    ),
    blocks: (
      await query('select block from lake.transactions order by block', z.object({ block: z.coerce.number() }))
    ).map(({ block }) => block),
  }))

/** Reads the wallet from nodes of which those in `lies` lie. */
async function readFrom(n_nodes: number, lies: (Lies | undefined)[]) {
  const change: Parameters<typeof accountsHouse>[2] = {
    n_nodes,
    change: (node, n) => {
      const ofNode = lies[n]
      return ofNode === undefined ? node : lying(node, ofNode)
    },
  }
  const house = accountsHouse(chainOf(mine), limits, change)
  const lake = await newLake()
  await request(house, lake, [wallet])
  await rounds(house, house.activities(lake))
  return { house, lake }
}

/** Every transaction that the lake lacks lies in a stretch that is not done. */
async function expectNoSilence(lake: Lake): Promise<number> {
  const { stretches, blocks } = await heldIn(lake)
  const shown = [...blocks]
  const missing = truth.filter((block) => {
    const at = shown.indexOf(block)
    if (at !== -1) shown.splice(at, 1)
    return at === -1
  })
  const isOpen = (block: number): boolean =>
    stretches.some(({ from, to, state }) => block >= from && block < to && state === 'unverified')
  expect(missing.filter((block) => !isOpen(block))).toEqual([])
  return missing.length
}

const kinds = (['answer', 'block', 'log'] as const).flatMap((of) =>
  [true, false].flatMap((isSticky) => [0.05, 0.2, 0.5].map((share) => ({ of, isSticky, share }))),
)
const all = kinds.map(
  (kind, n) => [`${kind.of}, ${kind.isSticky ? 'sticky' : 'random'}, ${kind.share}`, { ...kind, seed: n }] as const,
)
/** One share of each kind, so that each share meets two kinds. */
const inTurns = all.filter((_, n) => n % 3 === Math.floor(n / 3) % 3)

test.each(
  sized(
    all.filter((_, n) => n % 4 === 1),
    inTurns,
    all,
  ),
)('a node that leaves out logs beside an honest one loses nothing, alone nothing in silence: %s', async (_, lies) => {
  const beside = await readFrom(2, [lies])
  expect((await heldIn(beside.lake)).blocks).toEqual(truth)
  const amongThree = await readFrom(3, [lies])
  const { stretches, blocks } = await heldIn(amongThree.lake)
  expect(blocks).toEqual(truth)
  expect([...new Set(stretches.map(({ state }) => state))].toSorted()).toEqual(['done', 'head'])
  const alone = await readFrom(1, [lies])
  await expectNoSilence(alone.lake)
  const codes = (await heldIn(alone.lake)).stretches.map(({ reason_code }) => reason_code)
  expect(codes).toEqual(Array.from({ length: 10 }, () => 'unproved'))
})

test('what one endpoint alone has is read again after a week, once there is a second one', async () => {
  const { house, lake } = await readFrom(2, [{ seed: 1, share: 1, of: 'answer', isSticky: true }])
  const unproved = async () =>
    (await heldIn(lake)).stretches.filter(({ reason_code }) => reason_code === 'unproved').length
  const n = await unproved()
  expect(n).toBeGreaterThan(3)
  const again = async (other: AccountsHouse) => {
    const before = other.asked.length
    await rounds(other, other.activities(lake))
    return other.asked.length - before
  }
  expect(await again(house)).toBe(0)
  const honest = accountsHouse(chainOf(mine), limits)
  honest.wait(8 * 86_400)
  expect(await again(honest)).toBeGreaterThan(0)
  // The newest stretch is open, and waits for a request.
  expect(await unproved()).toBeLessThanOrEqual(1)
})

test('a reparse gives the same rows and coverage from the raw bodies', async () => {
  const { house, lake } = await readFrom(2, [])
  const before = await heldIn(lake)
  const n_requests = house.n_requests()
  expect(await reparse(lake, house.source, () => undefined)).toMatchObject({ quarantined: 0, failed: [] })
  expect(house.n_requests()).toBe(n_requests)
  expect(await heldIn(lake)).toEqual(before)
  house.wait(60)
  // What a stretch keeps for the next plan is kept too.
  const asked = house.asked.length
  await rounds(house, house.activities(lake))
  expect(house.asked.length).toBe(asked)
})
