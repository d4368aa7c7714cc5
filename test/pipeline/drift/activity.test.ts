import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'

import { createWorld } from '#sim/markets/world.ts'
import { ingestAll, openTestPipeline, type TestHouse } from '#test/pipeline/pipeline.ts'
import { sized } from '#test/run/sized.ts'

import { onRoute, openUpstream, type DriftingUpstream } from './upstream.ts'

const world = createWorld({ seed: 5, scale: sized(0.06, 0.06, 0.08) })
const clock = (): number => world.now
const read = ['polymarket_markets', 'polymarket_resolutions', 'polymarket_trades', 'polymarket_activity']

const entryShape = z.object({
  key: z.string(),
  state: z.string(),
  reason: z.string().nullable(),
  proof: z.string().nullable(),
  verified: z.array(z.string()),
})
type Entry = z.output<typeof entryShape>

describe('activity that was cut short', () => {
  let root: string
  let upstream: DriftingUpstream
  let house: TestHouse
  let healthy: Map<string, Entry>
  const openHome = (name: string): Promise<TestHouse> =>
    openTestPipeline(join(root, name), upstream, clock, { fetch: upstream.fetch })
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'tapeline-cut-'))
    upstream = openUpstream({ polymarket: world }, clock)
    house = await openHome('read before')
    await ingestAll(house, world.now, read)
    healthy = await accountsOf(house)
  })
  afterAll(async () => {
    await house.lake.close()
    await rm(root, { recursive: true, force: true })
  })

  const accountsOf = async ({ lake }: TestHouse): Promise<Map<string, Entry>> => {
    const rows = await lake.read(({ query }) =>
      query(
        `select key, state, reason, proof, verified from lake.coverage
         where source = 'polymarket_activity' and dataset = 'fills' order by key`,
        entryShape,
      ),
    )
    return new Map(rows.map((row) => [row.key, row]))
  }

  it('is whole in a healthy world, and both lists agree', async () => {
    expect(healthy.size).toBeGreaterThan(60)
    expect([...healthy.values()].filter(({ state }) => state !== 'head')).toEqual([])
    expect([...healthy.values()].filter(({ verified }) => !verified.includes('polymarket_trades'))).toEqual([])
    const trades = await house.lake.read(({ query }) =>
      query(
        `select key, state, reason, proof, verified from lake.coverage
         where source = 'polymarket_trades' and (reason_code = 'contradicted' or (n_rows > 0 and verified <> ['polymarket_activity']))`,
        entryShape,
      ),
    )
    expect(trades).toEqual([])
  })

  const cutShort = (cut: ReadonlySet<string>) =>
    onRoute('/v2/activity', (body, { query }) => {
      if (!cut.has(query.get('user') ?? '')) return body
      const rows = body['data'] as unknown[]
      return { data: rows.slice(0, Math.ceil(rows.length / 2)), pagination: { has_more: false, next_cursor: null } }
    })
  const cutAccounts = (): Set<string> => new Set([...healthy.keys()].slice(0, 50))

  it('replaces nothing in a refresh: exactly the cut accounts are refused', async () => {
    const cut = cutAccounts()
    upstream.drift(cutShort(cut))
    const [state] = await refresh(house, 'the stored rows stay')
    expect([state?.failed, state?.refused]).toEqual([cut.size, cut.size])
    const entries = await accountsOf(house)
    const refused = [...entries.values()].filter(({ reason }) => reason !== null)
    expect(refused.map(({ key }) => key)).toEqual([...cut].toSorted())
    for (const { reason } of refused)
      expect(reason).toMatch(/^(activity: \d+ rows became \d+, )?fills: \d+ rows became \d+; the stored rows stay$/)
    expect([...entries.values()].map((entry) => ({ ...entry, reason: null }))).toEqual([...healthy.values()])
    upstream.drift(null)
    await ingestAll(house, world.now, ['polymarket_activity'])
    expect(await accountsOf(house)).toEqual(healthy)
  })

  it('leaves exactly the accounts incomplete that were read first so, until a refresh', async () => {
    const cut = cutAccounts()
    const first = await openHome('read first')
    upstream.drift(cutShort(cut))
    await ingestAll(first, world.now, read)
    const entries = await accountsOf(first)
    const incomplete = [...entries.values()].filter(({ state }) => state !== 'head')
    expect(incomplete.map(({ key }) => key)).toEqual([...cut].toSorted())
    for (const { state, reason, verified } of incomplete) {
      expect([state, verified]).toEqual(['unverified', []])
      expect(reason).toMatch(/^contradicted: \d+ of its trades differ from polymarket_trades, the first at /)
    }
    upstream.drift(null)
    await refresh(first)
    expect(await accountsOf(first)).toEqual(healthy)
    await first.lake.close()
  })

  const refresh = (opened: TestHouse, mayFail?: string) =>
    ingestAll(opened, world.now, ['polymarket_activity'], {
      refresh: true,
      ...(mayFail === undefined ? {} : { mayFail }),
    })
})
