import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import type { Activities } from '#activities/index.ts'
import { freshnessOf } from '#bin/report/freshness.ts'
import { startWorkflow } from '#engine'
import { createSlots } from '#engine/slots.ts'
import { requestedRounds, type RequestedRound } from '#ingest/followed_rounds.ts'
import { noteRounds, readFollows } from '#lake/catalog/follows.ts'
import { tinySource, unitOf } from '#test/ingest/tiny.ts'
import { newLake } from '#test/lake/fixture.ts'
import { ingestRequested } from '#workflows/ingest_requested.ts'

const names = ['venue_accounts', 'chain_accounts']
const sources = names.map((name) => tinySource({ name, grid_s: 60 }))
const tally = { units: 1, rows: 1, quarantined: 0, bytes: 1, failed: 0, failures: [] }
const pause_ms = 15_000

beforeEach(() => vi.useFakeTimers({ now: 60_000 }))
afterEach(() => vi.useRealTimers())

/** Reads a requested key from two sources. `pull` and `plan` decide what their upstreams do. */
function request({ pull, plan }: Partial<Pick<Activities, 'pull' | 'plan'>>) {
  const [rounds, completed]: [RequestedRound[], string[][]] = [[], []]
  const asked = { keys: ['0xa'] }
  const activities: Partial<Activities> = {
    instant: async () => Date.now() * 1_000,
    requestedKeys: async (round) => {
      if (round !== undefined) rounds.push(structuredClone(round))
      return asked.keys
    },
    plan: async ({ source, after }) => ({ units: [unitOf(source, { source })], last: after, due: 1 }),
    pull: async () => tally,
    completeRequests: async ({ keys }) => {
      completed.push(keys)
      asked.keys = []
    },
    ...(pull && { pull }),
    ...(plan && { plan }),
  }
  const [source = '', ...also] = names
  const slots = { pull: createSlots(2), plan: createSlots(1) }
  const args: Parameters<typeof ingestRequested> = [{ source, also, pause_ms }]
  const run = startWorkflow(ingestRequested, { id: 'requested', args, activities, slots })
  run.result.catch(() => undefined)
  return { rounds, completed, end: () => run.cancel() }
}

test('a round has ended without requests, and after each request', async () => {
  const { rounds, completed, end } = request({})
  await vi.advanceTimersByTimeAsync(3 * pause_ms)
  end()
  expect(completed).toEqual([['0xa']])
  expect(rounds.map((round) => round.rounds)).toEqual([0, 1, 2, 3])
  expect(rounds).toContainEqual({ sources: names, every_s: 15, rounds: 3, failing: {} })
})

test('a source whose units fail, or that cannot be planned, has failed rounds, until it answers', async () => {
  const state = { isAway: true }
  const failure = { unit: 'chain_accounts/0xa', reason: 'node answered 403' }
  const { rounds, completed, end } = request({
    plan: async ({ source, after }) => {
      if (state.isAway && source === 'venue_accounts') throw new Error('the list is away')
      return { units: [unitOf(source, { source })], last: after, due: 1 }
    },
    pull: async ({ units }) =>
      state.isAway && units[0]?.source === 'chain_accounts'
        ? { ...tally, units: 0, failed: 1, failures: [failure] }
        : tally,
  })
  // The activity that cannot plan is repeated for a while.
  await vi.advanceTimersByTimeAsync(3_600_000)
  const last = rounds.at(-1)
  expect(last?.failing).toEqual({
    venue_accounts: { rounds: last?.rounds, fault: 'the list is away' },
    chain_accounts: { rounds: last?.rounds, fault: 'node answered 403' },
  })
  expect(last?.rounds).toBeGreaterThan(1)
  // The request waits until both have read it.
  expect(completed).toEqual([])
  state.isAway = false
  await vi.advanceTimersByTimeAsync(600_000)
  end()
  expect(completed).toEqual([['0xa']])
  expect(rounds.at(-1)?.failing).toEqual({})
})

test('is late when no round was answered for five minutes, with the reason', async () => {
  vi.useRealTimers()
  const { catalog } = await newLake()
  const note = (rounds: number, at_s: number, failing: RequestedRound['failing'] = {}): Promise<void> =>
    noteRounds(
      catalog,
      requestedRounds(sources, { sources: names, every_s: 15, rounds, failing }, at_s * 1_000_000),
      at_s * 1_000,
    )
  const late = async (at_s: number) =>
    freshnessOf(await readFollows(catalog), at_s * 1_000).flatMap(({ source, part, is_late, reason }) =>
      is_late ? [`${source} ${part}: ${reason}`] : [],
    )
  await note(0, 0)
  for (let round = 1; round <= 40; round += 1) await note(round, 15 * round)
  expect(await late(600)).toEqual([])
  for (let round = 41; round <= 80; round += 1)
    await note(round, 15 * round, { chain_accounts: { rounds: round - 40, fault: 'node answered 403' } })
  expect(await late(1_200)).toEqual(['chain_accounts requested: 40 failed rounds in a row: node answered 403'])
  await note(81, 1_215)
  expect(await late(1_215)).toEqual([])
})
