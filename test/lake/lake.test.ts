import { expect, test } from 'vitest'

import { WorldMismatch } from '#lake/lake.ts'

import { lifeOf, newHome, newLake, noon, quote, storeRows } from './fixture.ts'

test('a lake belongs to the world that claims it first, for good', async () => {
  const lake = await newLake()
  expect(await lake.world()).toBeUndefined()
  await lake.claim('seed-7')
  await lake.claim('seed-7')
  expect(await lake.world()).toBe('seed-7')
  await expect(lake.claim('real')).rejects.toThrow(WorldMismatch)
  await expect(lake.claim('real')).rejects.toThrow(
    'this lake holds the simulated world seed-7 and the upstream answers for the real world: ' +
      'facts of two worlds are never mixed; expected the TAPELINE_WORLD of the lake, or another TAPELINE_HOME',
  )
  expect(await (await newLake({ home: lake.home })).world()).toBe('seed-7')
})

test('a lake without a fact gives its claim up, and no fact of the former world is stored then', async () => {
  const lake = await newLake()
  const other = await newLake({ home: lake.home })
  await lake.claim('seed-7')
  expect(await other.release()).toBe(true)
  await other.claim('real')
  await expect(storeRows(lake, lifeOf('0xa'), { quotes: [quote('0xa', noon)] })).rejects.toThrow(WorldMismatch)
  await storeRows(other, lifeOf('0xa'), { quotes: [quote('0xa', noon)] })
  expect(await other.release()).toBe(false)
  await expect(other.claim('seed-7')).rejects.toThrow(WorldMismatch)
})

test('of many who claim an empty lake at once for two worlds, those of one get it and all others fail', async () => {
  const home = await newHome()
  const [a, b] = [await newLake({ home }), await newLake({ home })]
  const worlds = Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? 'real' : 'seed-7'))
  const claims = await Promise.allSettled(worlds.map((world, n) => (n % 4 < 2 ? a : b).claim(world)))
  const world = await a.world()
  expect(claims.map(({ status }) => status === 'fulfilled')).toEqual(worlds.map((one) => one === world))
})
