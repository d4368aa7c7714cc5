import { describe, expect, test } from 'vitest'

import { claimWorlds, refuseForeignWorld } from '#bin/wiring/world_guard.ts'
import { parseConfig } from '#config.ts'
import { sources } from '#sources/index.ts'
import { lifeOf, newLake, noon, quote, storeRows } from '#test/lake/fixture.ts'

const local = {
  TAPELINE_WORLD: 'seed-7',
  POLYMARKET_GAMMA_URL: 'http://127.0.0.1:5/gamma',
  POLYMARKET_DATA_URL: 'http://127.0.0.1:5/data',
  POLYMARKET_RTDS_URL: 'ws://127.0.0.1:5/rtds',
  POLYMARKET_CLOB_URL: 'http://127.0.0.1:5/clob',
}
const hostsOf = (env: Record<string, string>) => parseConfig(env).hosts

describe('a lake of a simulated world', () => {
  test.each([
    'https://data-api.polymarket.com',
    'https://data-api.polymarket.com/',
    'HTTPS://Data-API.polymarket.com',
    'https://data-api.polymarket.com:443/x',
  ])('asks no real upstream, however its address is written: %s', async (url) => {
    const lake = await newLake()
    await lake.claim('seed-7')
    await expect(refuseForeignWorld(lake, hostsOf({ ...local, POLYMARKET_DATA_URL: url }), sources)).rejects.toThrow(
      'this lake holds the simulated world seed-7 and the upstream answers for the real world',
    )
  })

  test('reads the upstreams of its own world, and of no other', async () => {
    const lake = await newLake()
    await claimWorlds(lake, hostsOf(local))
    expect(await lake.world()).toBe('seed-7')
    await expect(refuseForeignWorld(lake, hostsOf(local), sources)).resolves.toBeUndefined()
    await storeRows(lake, lifeOf('0xa'), { quotes: [quote('0xa', noon)] })
    await expect(claimWorlds(lake, hostsOf({ ...local, TAPELINE_WORLD: 'seed-8' }))).rejects.toThrow('seed-8')
  })

  test('is claimed again for another one while it has no fact', async () => {
    const lake = await newLake()
    await claimWorlds(lake, hostsOf(local))
    await claimWorlds(lake, hostsOf({ ...local, TAPELINE_WORLD: 'seed-8' }))
    expect(await lake.world()).toBe('seed-8')
    await refuseForeignWorld(lake, hostsOf({}), sources)
    expect(await lake.world()).toBeUndefined()
  })
})

describe('a lake of the real world', () => {
  test('reads the declared addresses, and other addresses of its world', async () => {
    const lake = await newLake()
    await refuseForeignWorld(lake, hostsOf({}), sources)
    await lake.claim('real')
    await refuseForeignWorld(lake, hostsOf({}), sources)
    const proxied = hostsOf({ POLYMARKET_DATA_URL: 'http://127.0.0.1:5/data' })
    await claimWorlds(lake, proxied)
    await expect(refuseForeignWorld(lake, proxied, sources)).resolves.toBeUndefined()
  })

  test('reads no simulated upstream', async () => {
    const lake = await newLake()
    await lake.claim('real')
    await storeRows(lake, lifeOf('0xa'), { quotes: [quote('0xa', noon)] })
    await expect(claimWorlds(lake, hostsOf(local))).rejects.toThrow('this lake holds the real world')
    await expect(refuseForeignWorld(lake, hostsOf(local), sources)).rejects.toThrow('this lake holds the real world')
  })

  test('is claimed by the responses of the declared addresses', async () => {
    const lake = await newLake()
    await claimWorlds(lake, hostsOf({}))
    expect(await lake.world()).toBeUndefined()
  })
})
