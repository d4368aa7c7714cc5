import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

import type { Activities } from '#activities/index.ts'
import { freshnessOf } from '#bin/report/freshness.ts'
import { startWorkflow } from '#engine'
import { requestedRound, type RequestedRound } from '#ingest/followed_rounds.ts'
import { noteRounds, readFollows } from '#lake/catalog/follows.ts'
import { tinySource, unitOf } from '#test/ingest/tiny.ts'
import { newLake } from '#test/lake/fixture.ts'
import { ingestRequested, type IngestRequestedRequest } from '#workflows/ingest_requested.ts'

const tally = { units: 1, rows: 1, quarantined: 0, bytes: 1, failed: 0, failures: [] }
const [markets, chain] = [tinySource({ name: 'market_accounts' }), tinySource({ name: 'chain_accounts' })]
const crowd = Array.from({ length: 20 }, (_, n) => `0xc${n}`)

/** A list of requests, and two upstreams that read their keys. `hold` decides which readings wait. */
function house(hold: (source: string) => boolean) {
  let wanted = [...crowd]
  const read: Record<string, string[]> = { [markets.name]: [], [chain.name]: [] }
  const completed: { keys: string[]; empty: unknown }[] = []
  const held: (() => void)[] = []
  const rounds: RequestedRound[] = []
  const [away, unplanned] = [new Set<string>(), new Set<string>()]
  const activities: Pick<Activities, 'instant' | 'plan' | 'pull' | 'requestedKeys' | 'completeRequests'> = {
    instant: async () => 0,
    requestedKeys: async (request) => {
      if (request?.round !== undefined) rounds.push(structuredClone(request.round))
      return wanted.filter((key) => request?.without.includes(key) !== true).slice(0, 100)
    },
    plan: async ({ source, keys, after }) => {
      if (unplanned.has(source)) throw new Error('the list is away')
      const units = keys.map((key) => ({ ...unitOf('all'), source, key }))
      return { units, last: after, due: units.length }
    },
    pull: async ({ units }) => {
      const [{ source } = { source: '' }] = units
      if (away.has(source)) {
        const failures = [{ unit: source, reason: 'node answered 403' }]
        return { ...tally, units: 0, failed: units.length, failures }
      }
      if (hold(source)) await new Promise<void>((resolve) => held.push(resolve))
      read[source]?.push(...units.map(({ key }) => key))
      const empty = units.filter(({ key }) => key.startsWith('0xe')).map(({ key }) => ({ source, key }))
      return { ...tally, empty }
    },
    completeRequests: async ({ keys, empty }) => {
      completed.push({ keys, empty })
      wanted = wanted.filter((key) => !keys.includes(key))
    },
  }
  const start = (more: Partial<IngestRequestedRequest> = {}) => {
    const request = { source: markets.name, also: [chain.name], pause_ms: 1_000, isQueued: true, ...more }
    const run = startWorkflow(ingestRequested, { args: [request], activities })
    run.result.catch(() => undefined)
    return run
  }
  const ask = (key: string): void => void wanted.push(key)
  return { start, ask, read, completed, held, rounds, away, unplanned, wanted: () => wanted }
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('requested accounts', () => {
  test.each([
    ['a chain', chain.name, markets.name],
    ['a market', markets.name, chain.name],
  ])('of a crowd that %s is slow to read do not delay the other source', async (_, slow, quick) => {
    const { start, ask, read, held, wanted } = house((source) => source === slow)
    const run = start()
    await vi.advanceTimersByTimeAsync(3_000)
    ask('0xlate')
    await vi.advanceTimersByTimeAsync(3_000)
    // Each key is read once by the quick source, and none ends before the slow one has read it.
    expect(read[quick]).toEqual([...crowd, '0xlate'])
    expect(read[slow]).toEqual([])
    expect(wanted()).toEqual([...crowd, '0xlate'])
    for (let n = 0; n < 5; n++) {
      for (const end of held.splice(0)) end()
      await vi.advanceTimersByTimeAsync(2_000)
    }
    expect(read[slow]).toEqual([...crowd, '0xlate'])
    expect(read[quick]).toEqual([...crowd, '0xlate'])
    expect(wanted()).toEqual([])
    run.cancel()
  })

  test('end once, with what each source found empty', async () => {
    const { start, ask, completed } = house(() => false)
    ask('0xempty')
    const run = start()
    await vi.advanceTimersByTimeAsync(5_000)
    expect(completed.flatMap(({ keys }) => keys).toSorted()).toEqual([...crowd, '0xempty'].toSorted())
    expect(completed.flatMap(({ empty }) => empty)).toEqual(
      expect.arrayContaining([markets, chain].map(({ name }) => ({ source: name, key: '0xempty' }))),
    )
    run.cancel()
  })

  test('are read as before by a run of an earlier version, which goes on with a queue for each source', async () => {
    const { start, ask, read, completed, held } = house((source) => source === chain.name)
    const run = start({ isQueued: false })
    await vi.advanceTimersByTimeAsync(3_000)
    ask('0xlate')
    await vi.advanceTimersByTimeAsync(3_000)
    expect(read[markets.name]).toEqual(crowd)
    for (const end of held.splice(0)) end()
    await vi.advanceTimersByTimeAsync(500)
    expect(completed).toMatchObject([{ keys: crowd }])
    run.cancel()
  })

  test('are read for ever: a run goes on as a new one', async () => {
    const { start, ask, read } = house(() => false)
    const run = start()
    for (let n = 0; n < 30; n++) {
      await vi.advanceTimersByTimeAsync(20_000)
      ask(`0xd${n}`)
    }
    await vi.advanceTimersByTimeAsync(20_000)
    expect(read[chain.name]).toHaveLength(crowd.length + 30)
    expect(new Set(read[markets.name]).size).toBe(crowd.length + 30)
    run.cancel()
  })

  test('have failed rounds while an upstream is away, and stay requested until it answers', async () => {
    const { start, ask, rounds, away, unplanned, wanted } = house(() => false)
    away.add(chain.name)
    unplanned.add(markets.name)
    const run = start()
    await vi.advanceTimersByTimeAsync(900_000)
    const lastOf = ({ name }: { name: string }) => rounds.findLast(({ source }) => source === name)
    const failed = lastOf(chain)
    expect(failed).toMatchObject({ every_s: 1, failing: { [chain.name]: { fault: 'node answered 403' } } })
    expect(failed?.failing[chain.name]?.rounds).toBeGreaterThan(0)
    expect(lastOf(markets)?.failing).toMatchObject({ [markets.name]: { fault: 'the list is away' } })
    expect(wanted()).toEqual(crowd)
    away.clear()
    unplanned.clear()
    ask('0xlate')
    await vi.advanceTimersByTimeAsync(300_000)
    expect(wanted()).toEqual([])
    for (const source of [markets, chain]) expect(lastOf(source)?.failing).toEqual({})
    run.cancel()
  })

  test('are late when no round was answered for five minutes, with the reason', async () => {
    vi.useRealTimers()
    const { catalog } = await newLake()
    const note = (round: number, failing: RequestedRound['failing'] = {}): Promise<void> => {
      const at_s = 15 * round
      const asked = { source: chain.name, every_s: 15, rounds: round, failing }
      return noteRounds(catalog, [requestedRound(asked, at_s * 1_000_000)], at_s * 1_000)
    }
    const late = async (at_s: number) =>
      freshnessOf(await readFollows(catalog), at_s * 1_000).flatMap(({ source, part, is_late, reason }) =>
        is_late ? [`${source} ${part}: ${reason}`] : [],
      )
    for (let round = 0; round <= 40; round += 1) await note(round)
    expect(await late(600)).toEqual([])
    for (let round = 41; round <= 80; round += 1)
      await note(round, { [chain.name]: { rounds: round - 40, fault: 'node answered 403' } })
    expect(await late(1_200)).toEqual([`${chain.name} requested: 40 failed rounds in a row: node answered 403`])
    await note(81)
    expect(await late(1_215)).toEqual([])
  })
})
