import { describe, expect, test } from 'vitest'

import { probe } from '#bin/commands/probe.ts'
import { simulatedHosts } from '#bin/wiring/simulated_hosts.ts'
import { parseConfig } from '#config.ts'
import type { Streams } from '#ingest/http/stream.ts'
import { exposedWorld } from '#sim/markets/limitless_wire/exposed_world.ts'
import { createWorld } from '#sim/markets/world.ts'
import { serveWorld } from '#sim/server/server.ts'
import { limitlessProbes } from '#sources/markets/limitless/probes/limitless_probes.ts'
import { runProbes, type Finding } from '#sources/markets/probe.ts'
import { runCommand } from '#test/bin/command.ts'
import { marketBody, slug, tradeBody, venue } from '#test/sources/markets/limitless/wire.ts'
import { fakeGet, type Upstream } from '#test/sources/markets/polymarket/fake.ts'

const event = (name: string, payload: unknown): string => `42/markets,${JSON.stringify([name, payload])}`
const created = event('marketCreated', { slug: slug(1), title: 'New?', createdAt: '2026-11-20T12:00:00Z' })
const system = event('system', { message: 'Subscribed' })

/** The findings on an upstream in memory that pushes some texts: of the channel, and of the feed. */
async function findings(texts: readonly string[], upstream: Upstream): Promise<Finding[]> {
  const streams: Streams = async function* () {
    yield texts
  }
  const tools = { get: fakeGet(upstream).get, streams, clock: () => 0, listen_ms: 1_000 }
  const found: Finding[] = []
  for await (const { verdict, seen } of runProbes(limitlessProbes, tools)) found.push({ verdict, seen })
  return found
}

const made = [marketBody(1, { tradeType: 'amm', tokens: null })]

describe('the probes of Limitless', () => {
  test('hold where the channel and the feed deliver rows that parse', async () => {
    expect(await findings([system, created], venue({ active: made, feeds: { [slug(1)]: [tradeBody()] } }))).toEqual([
      { verdict: 'held', seen: 'received 1 of system, 1 of marketCreated; 0 did not parse' },
      { verdict: 'held', seen: `${slug(1)}: 1 trades, 0 rejected` },
    ])
  })

  test('do not hold where nothing comes, or rows do not parse', async () => {
    const broken = tradeBody({}, { contracts: 'ten' })
    const feeds = { [slug(1)]: [tradeBody(), broken] }
    const [channel, feed] = await findings([event('marketResolved', {})], venue({ active: made, feeds }))
    expect(channel).toEqual({ verdict: 'not held', seen: 'received 1 of marketResolved; 1 did not parse' })
    expect(feed?.verdict).toBe('not held')
    expect(feed?.seen).toMatch(/1 trades, 1 rejected; data\.contracts: expected/)
    expect((await findings([], venue({})))[0]).toEqual({
      verdict: 'not held',
      seen: 'no event after the subscription',
    })
  })

  test('are undecided without a creation, a resolution, a market or a trade', async () => {
    const verdicts = async (upstream: Upstream) => (await findings([system], upstream)).map(({ verdict }) => verdict)
    expect(await verdicts(venue({ active: [marketBody(2)] }))).toEqual(['undecided', 'undecided'])
    expect(await verdicts(venue({ active: made }))).toEqual(['undecided', 'undecided'])
  })
})

test('`tapeline probe limitless` asks the venue', async () => {
  const limitless = exposedWorld(createWorld({ seed: 4, scale: 0.06 }))
  const world = createWorld({ seed: 4, scale: 0.01 })
  const served = await serveWorld({ world, others: { limitless }, clock: () => limitless.now })
  const config = parseConfig({})
  const settings = { ...config, hosts: simulatedHosts(config.hosts, served) }
  const { code, output } = await runCommand(probe, ['limitless', '--listen', '1'], settings)
  await served.close()
  const lines = output.trimEnd().split('\n')
  // The clock of the simulated world stands still, so that nothing is created.
  expect(lines.map((line) => line.split(' ')[0])).toEqual(['undecided', 'held'])
  expect(lines[0]).toContain('received 1 of system')
  expect(code).toBe(0)
})
