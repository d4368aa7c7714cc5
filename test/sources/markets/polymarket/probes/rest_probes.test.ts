import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { probe } from '#bin/commands/probe.ts'
import { simulatedHosts } from '#bin/wiring/simulated_hosts.ts'
import { parseConfig } from '#config.ts'
import type { Get } from '#ingest/http/request.ts'
import { createWorld } from '#sim/markets/world.ts'
import { serveWorld, type ServedWorld } from '#sim/server/server.ts'
import { bookProbes } from '#sources/markets/polymarket/probes/book_probes.ts'
import { pushProbes } from '#sources/markets/polymarket/probes/push_probes.ts'
import { restProbes } from '#sources/markets/polymarket/probes/rest_probes.ts'
import { runProbes, type Finding } from '#sources/markets/probe.ts'
import { runCommand } from '#test/bin/command.ts'
import { fakeGet, type Upstream } from '#test/sources/markets/polymarket/fake.ts'
import { tradeBody } from '#test/sources/markets/polymarket/wire.ts'

const now = 1_790_000_100_000_000

/** The verdicts on an upstream in memory, by a word of their facts. */
async function verdicts(get: Get): Promise<Record<string, Finding['verdict']>> {
  const found: Record<string, Finding['verdict']> = {}
  const tools = { get, streams: async function* () {}, clock: () => now, listen_ms: 0 }
  for await (const { fact, verdict } of runProbes(restProbes, tools)) {
    const word = ['0.000001', '=0 ', 'changing', 'contract', 'unknown', 'V2', 'retired'].find((one) =>
      fact.includes(one),
    )
    found[word ?? fact] = verdict
  }
  return found
}

const page = (rows: readonly unknown[]) => ({
  body: { data: rows, pagination: { has_more: false, next_cursor: null } },
})
const refusal = '{"error":"no","code":"invalid_request","parameter":"user","retryable":false}'

/** A venue as it is documented, but for what is given. */
const venue =
  (other: Partial<Record<string, ReturnType<Upstream>>> = {}): Upstream =>
  (path, query) => {
    const dust = tradeBody({ size: 0.004 })
    const key =
      path !== '/v2/trades' ? path : (['user', 'condition', 'filter_amount'].find((name) => query.has(name)) ?? 'fresh')
    const usual: Record<string, ReturnType<Upstream>> = {
      user: { status: 400, error: refusal },
      condition: page([]),
      filter_amount: page([tradeBody(), dust]),
      fresh: page([tradeBody({ timestamp: now / 1e6 - 12 })]),
      '/markets/keyset': { body: { markets: [{ version: 'v2', clobTokenIds: null }] } },
      '/trades': { status: 404 },
    }
    return other[key] ?? usual[key] ?? { status: 500 }
  }

describe('the probes', () => {
  test('find that the documentation holds', async () => {
    expect(new Set(Object.values(await verdicts(fakeGet(venue()).get)))).toEqual(new Set(['held']))
  })

  test.each<[string, string, ReturnType<Upstream>, Finding['verdict']]>([
    ['0.000001', 'filter_amount', page([tradeBody()]), 'undecided'],
    ['=0 ', 'condition', page([tradeBody({ size: 0.004 })]), 'not held'],
    ['changing', 'fresh', page([tradeBody({ timestamp: now / 1e6 - 200 })]), 'not held'],
    ['changing', 'fresh', { status: 503 }, 'undecided'],
    ['contract', 'user', page([]), 'not held'],
    ['contract', 'user', { status: 400, error: '{"error":"a known protocol contract"}' }, 'not held'],
    ['unknown', 'condition', page([tradeBody()]), 'not held'],
    ['V2', '/markets/keyset', { body: { markets: [{ version: 'v1', clobTokenIds: '[]' }] } }, 'not held'],
    ['retired', '/trades', { body: [] }, 'not held'],
  ])('say where it does not: %s', async (fact, key, answer, verdict) => {
    expect((await verdicts(fakeGet(venue({ [key]: answer })).get))[fact]).toBe(verdict)
  })
})

describe('`tapeline probe`', () => {
  let served: ServedWorld
  const world = createWorld({ seed: 4, scale: 0.02 })
  beforeAll(async () => {
    served = await serveWorld({ world, clock: () => world.now, cache: 'stale' })
  })
  afterAll(() => served.close())

  test('prints each fact as held or not, and fails where one is not', async () => {
    const config = parseConfig({})
    const settings = { ...config, hosts: simulatedHosts(config.hosts, served) }
    const { code, output } = await runCommand(probe, ['polymarket', '--listen', '1', '--json'], settings)
    const lines = output.trimEnd().split('\n')
    expect(lines).toHaveLength(restProbes.length + pushProbes.length + bookProbes.length)
    const notHeld = lines.filter((line) => line.includes('"not held"'))
    expect(lines.find((line) => line.includes('pushes the books'))).toContain('"held"')
    // The clock of the simulated world stands still, far from the machine's.
    const facts = ['changing parameter', 'type trades', 'type orders_matched']
    expect([code, notHeld.map((line) => facts.findIndex((fact) => line.includes(fact)))]).toEqual([1, [0, 1, 2]])
  })
})
