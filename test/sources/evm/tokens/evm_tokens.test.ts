import { expect, test } from 'vitest'
import { z } from 'zod'

import { reparse } from '#ingest/reparse.ts'
import type { Lake } from '#lake/lake.ts'
import { dollarOf, tokensOf } from '#sim/chains/simulated_chain.ts'
import { newLake } from '#test/lake/fixture.ts'
import { runBackfill } from '#test/sources/evm/swaps/runs.ts'
import { swapsWorld } from '#test/sources/evm/swaps/swaps_world.ts'

const source = 'evm_tokens'
const poolShape = z.object({ pool: z.string(), family: z.string(), tokens: z.array(z.string()), seen_at: z.date() })
const tokenShape = z.object({ token: z.string(), symbol: z.string().nullable(), decimals: z.number().nullable() })

const heldIn = (lake: Lake) =>
  lake.read(async ({ query }) => ({
    pools: await query('select pool, family, tokens, seen_at from lake.pools order by pool', poolShape),
    tokens: await query('select token, symbol, decimals from lake.tokens order by token', tokenShape),
  }))

test.each([
  ['through one contract', 'base'],
  ['call by call, on a chain without that contract', 'arbitrum-nova'],
])('every pool of the swaps has its tokens, and every token its decimals, %s', async (_, slug) => {
  const world = swapsWorld({ slug, head: 120 })
  const lake = await newLake()
  const activities = world.activities(lake)
  await runBackfill(world, activities)
  expect(await runBackfill(world, activities, { source })).toMatchObject({ units: 1, failed: 0 })
  const chain = world.chain()
  const held = await heldIn(lake)
  const dollar = dollarOf(chain)
  const truth = tokensOf(chain).flatMap(({ address, pools }) =>
    Object.entries(pools).map(([family, pool]) => ({
      pool,
      family: `uniswap_${family}`,
      tokens: [address, dollar].toSorted(),
    })),
  )
  expect(held.pools.map(({ seen_at: _, ...rest }) => rest)).toEqual(
    truth.toSorted((a, b) => (a.pool < b.pool ? -1 : 1)),
  )
  const infos = [
    { token: dollar, symbol: 'USDS', decimals: 6 },
    ...tokensOf(chain).map(({ address, symbol, decimals }) => ({ token: address, symbol, decimals })),
  ]
  expect(held.tokens).toEqual(infos.toSorted((a, b) => (a.token < b.token ? -1 : 1)))

  // Each contract is read once, and a reparse needs no request.
  world.grow(60)
  const asked = world.n_requests()
  await runBackfill(world, activities, { source })
  expect(world.n_requests()).toBe(asked)
  expect(await reparse(lake, world.tokens, () => undefined)).toMatchObject({ units: 1, failed: [] })
  expect(await heldIn(lake)).toEqual(held)
})

test('two observations in one minute ask each pool and token once', async () => {
  const world = swapsWorld({ head: 6 })
  const lake = await newLake()
  const activities = world.activities(lake)
  const observe = async () => {
    await runBackfill(world, activities)
    expect(await runBackfill(world, activities, { source })).toMatchObject({ failed: 0 })
    const asked = world.n_requests()
    expect(await runBackfill(world, activities, { source })).toMatchObject({ units: 0 })
    expect(world.n_requests()).toBe(asked)
    return heldIn(lake)
  }
  const minute = Math.floor(world.now() / 60_000_000)
  const first = await observe()
  world.grow(12)
  expect(Math.floor(world.now() / 60_000_000)).toBe(minute)
  const second = await observe()
  expect(second.pools.length).toBeGreaterThan(first.pools.length)
  expect(new Set(second.pools.map(({ seen_at }) => seen_at.getTime())).size).toBe(2)
  const named = second.pools.flatMap(({ tokens }) => tokens)
  expect(second.tokens.map(({ token }) => token)).toEqual([...new Set(named)].toSorted())
  expect(new Set(second.pools.map(({ pool }) => pool)).size).toBe(second.pools.length)
})
