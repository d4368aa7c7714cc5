import { Registry } from 'prom-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { dialectOf } from '#accounts/database.ts'
import { createKey } from '#accounts/keys.ts'
import type { Tier } from '#accounts/tiers.ts'
import { createApp } from '#api/app.ts'
import { serve } from '#api/http/listen.ts'
import { startService, type Service } from '#test/api/service.ts'
import { serverUrl } from '#test/run/projects.ts'

/** Two nodes on one PostgreSQL database, whose clock is that of the first node. The second is two seconds ahead. */
describe.skipIf(process.env[serverUrl] === undefined)('two nodes on PostgreSQL', () => {
  let service: Service
  let twin: { port: number; close: () => Promise<void> }
  beforeAll(async () => {
    service = await startService({ isEmpty: true })
    const now = () => service.clock.at + 2_000_000
    twin = await serve(await createApp({ ...service.parts, registry: new Registry(), now }), { port: 0 })
  })
  afterAll(async () => {
    await twin.close()
    await service.stop()
  })

  const newKey = (tier: Tier) => createKey(service.accounts, { tier, now: service.clock.at })
  const ask = async (port: number, key: string) => {
    const headers = { authorization: `Bearer ${key}` }
    const reply = await fetch(`http://127.0.0.1:${port}/v1/account`, { headers })
    await reply.arrayBuffer()
    return reply
  }
  /** Sends `n` requests at once to each port, and returns the statuses. */
  const flood = async (ports: readonly number[], key: string, n: number): Promise<number[]> => {
    const sent = Array.from({ length: n }, () => ports.map((port) => ask(port, key)))
    return (await Promise.all(sent.flat())).map(({ status }) => status)
  }
  const admitted = (statuses: readonly number[]) => statuses.filter((status) => status === 200).length

  test('each service has a database of its own', async () => {
    const other = await startService({ isEmpty: true })
    expect(dialectOf(other.accounts)).toBe('postgres')
    expect((await ask(other.port, service.keys.free)).status).toBe(401)
    await other.stop()
  })

  test('of 200 simultaneous requests one node answers exactly the limit', async () => {
    const statuses = await flood([service.port], await newKey('free'), 200)
    expect([admitted(statuses), new Set(statuses)]).toEqual([60, new Set([200, 429])])
  })

  test('both together answer the limit, within one percent', async () => {
    const key = await newKey('pro')
    let n = 0
    for (let round = 0; round < 4; round++) n += admitted(await flood([service.port, twin.port], key, 100))
    expect(n).toBeLessThanOrEqual(600)
    expect(n).toBeGreaterThanOrEqual(594)
  })

  test('a window ends on both when each says', async () => {
    const key = await newKey('free')
    service.clock.at += 19_500_000
    await flood([service.port, twin.port], key, 61)
    const ports = [service.port, twin.port]
    for (const port of ports) expect((await ask(port, key)).headers.get('retry-after')).toBe('41')
    service.clock.at += 40_000_000
    for (const port of ports) expect((await ask(port, key)).status).toBe(429)
    service.clock.at += 1_000_000
    for (const port of ports) expect((await ask(port, key)).status).toBe(200)
  })
})
