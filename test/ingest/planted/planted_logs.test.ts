import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

import type { Lake } from '#lake/lake.ts'
import { createRandom } from '#sim/random.ts'
import { newHome, newLake, noon } from '#test/lake/fixture.ts'
import { sized } from '#test/run/sized.ts'

import { heldBy, truthOf, upTo } from './held_rows.ts'
import { runAndKill } from './killed.ts'
import { chainActivities, followRound, runBackfill } from './rpc_pipeline.ts'
import { serveChains, type RpcServer } from './rpc_server.ts'

const second = 1_000_000

async function served(n_chains: number, n_blocks: number): Promise<RpcServer> {
  const server = await serveChains({ n_chains, n_blocks })
  onTestFinished(server.close)
  return server
}

const statesOf = (lake: Lake) =>
  lake.read(({ query }) =>
    query(
      'select distinct state, to_block % 32 = 0 as is_full from lake.coverage order by all',
      z.object({ state: z.string(), is_full: z.boolean() }),
    ),
  )

const n_many = sized(24, 30, 300)

test(`${n_many} chains are read, and followed through reorgs, as they are`, async () => {
  const n_chains = n_many
  const server = await served(n_chains, 40)
  const lake = await newLake()
  let at = noon
  const activities = chainActivities(lake, { url: server.url, n_chains, clock: () => at })
  server.broken.add(17)
  const failed = await runBackfill(activities, at)
  expect(failed.failures).toMatchObject([{ unit: 'planted_logs/chain_17' }])
  const others = upTo(n_chains).filter((chain) => chain !== 17)
  expect(await heldBy(lake)).toEqual(truthOf(server, others))
  expect((await statesOf(lake)).map(({ state }) => state)).toEqual(['head', 'head'])

  // Every third chain is reorganized, some across the edge of two units, while the others only grow.
  server.broken.clear()
  const random = createRandom(3, 1)
  for (const chain of upTo(n_chains)) if (chain % 3 === 0) server.reorg(chain, 1 + random.below(11))
  server.grow(6)
  at += second
  expect(await followRound(activities, at, n_chains)).toEqual([])
  expect(await heldBy(lake)).toEqual(truthOf(server, upTo(n_chains)))
})

test('faults of every kind neither lose nor double a row, and final units close', async () => {
  const n_chains = 6
  const server = await served(n_chains, 100)
  const lake = await newLake()
  let at = noon
  const activities = chainActivities(lake, { url: server.url, n_chains, clock: () => at })
  const random = createRandom(5, 1)
  server.setFaults(0.15)
  await runBackfill(activities, at)
  for (let round = 0; round < sized(6, 6, 12); round++) {
    for (const chain of upTo(n_chains)) if (random.chance(0.5)) server.reorg(chain, 1 + random.below(11))
    server.grow(1 + random.below(4))
    at += second
    await followRound(activities, at, n_chains)
  }
  server.setFaults(0)
  server.grow(1)
  expect(await followRound(activities, (at += second), n_chains)).toEqual([])
  expect(await heldBy(lake)).toEqual(truthOf(server, upTo(n_chains)))
  expect(await statesOf(lake)).toContainEqual({ state: 'done', is_full: true })
  expect(await statesOf(lake)).not.toContainEqual({ state: 'done', is_full: false })
})

test('a reader behind a replica that lags keeps what it has', async () => {
  const server = await served(1, 100)
  const lake = await newLake()
  let at = noon
  const activities = chainActivities(lake, { url: server.url, n_chains: 1, clock: () => at })
  await runBackfill(activities, at)
  const before = await heldBy(lake)
  // Every answer comes from a replica two blocks behind, or is refused.
  server.setFaults(0.5)
  for (let round = 0; round < 5; round++) await followRound(activities, (at += second), 1)
  expect(await heldBy(lake)).toEqual(before)
})

test('a backfill that is killed at random moments reads all the same', async () => {
  const n_chains = 20
  const server = await served(n_chains, 100)
  server.setFaults(0.02)
  const home = await newHome()
  const random = createRandom(9, 1)
  let cut = 0
  const worker = ['chains', home, server.url, String(noon), String(n_chains)]
  for (let n = 0; n < sized(3, 4, 6); n++) if (await runAndKill(worker, 100 + random.next() * 900)) cut += 1
  expect(cut).toBeGreaterThan(sized(0, 1, 2))
  server.reorg(3, 11)
  server.setFaults(0)
  server.grow(1)
  expect(await runAndKill(worker, Infinity)).toBe(false)
  expect(await heldBy(await newLake({ home }))).toEqual(truthOf(server, upTo(n_chains)))
})
