import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

import type { FeedRow } from '#lake/datasets/index.ts'
import { openLake } from '#lake/lake.ts'
import { appendFound } from '#signals/append_found.ts'
import { createRandom } from '#sim/random.ts'
import type { SignalRow } from '#test/api/feed_marts.ts'
import { startService } from '#test/api/service.ts'
import { newHome, noon } from '#test/lake/fixture.ts'
import { sized } from '#test/run/sized.ts'
import { HOUR, isoMicros, SECOND, type Micros } from '#time.ts'

const counts = { publishes: sized(50, 100, 1_000), restarts: sized(2, 3, 10) }
const random = createRandom(16, 3)
/** The mart has the signals of a time; the poller falls behind by a few publishes at most. */
const n_kept = 60

type Stored = Omit<FeedRow, 'source'>
type Found = Pick<Stored, 'id' | 'tick_at'>

const feedRow = ({ id, tick_at }: Found, published_at: Micros): Stored => ({
  id,
  tick_at,
  published_at,
  type: 'market',
  entity: 'polymarket:1',
  direction: 'up',
  symbol: null,
  score: 1 + (tick_at % 100),
  tier_required: 'free',
  headline: 'A headline.',
  summary: 'All of it.',
  information: 6,
  confidence: 1,
  rule: 'move',
  evidence: '[]',
})

type Publisher = { found: readonly Found[]; at: Micros; pause?: () => Promise<void> }

/** Processes that publish to one lake, each with a clock of its own, which may be behind that of another. */
async function openPublishers() {
  const home = await newHome()
  const open = () => openLake(home, { threads: 1, memory: '256MB' })
  let lake = await open()
  const stored: Stored[] = []
  onTestFinished(() => lake.close())

  /** Publishes as a process, which may pause before it stores. Returns what it did not publish. */
  const publish = async ({ found, at, pause }: Publisher): Promise<readonly Found[]> => {
    const rows: Stored[] = []
    const of = {
      dataset: 'feed' as const,
      source: 'signals',
      lease: 'signals',
      find: async () => {
        await pause?.()
        return found
      },
      rowOf: (one: Found, published_at: Micros) => {
        const row = feedRow(one, published_at)
        rows.push(row)
        return row
      },
    }
    const n = await appendFound(lake, of, { clock: () => at, now: () => at })
    stored.push(...(n === 0 ? [] : rows))
    return n === 0 ? found : []
  }
  return {
    stored,
    publish,
    restart: async () => {
      await lake.close()
      lake = await open()
    },
    inLake: () =>
      lake.read(({ query }) => query('select id from lake.feed order by published_at', z.object({ id: z.string() }))),
  }
}

const served = ({ id, published_at, score }: Stored): SignalRow => ({
  id,
  at: isoMicros(published_at).replace('T', ' ').replace('Z', ''),
  score,
})

test(`a poller with the last timestamp gets every signal once, through ${counts.publishes} publishes, restarts and late data`, async () => {
  let service = await startService({ rateFactor: 1_000 })
  onTestFinished(() => service.stop())
  const { stored, publish, restart, inLake } = await openPublishers()
  const seen: string[] = []
  let since = ''
  const poll = async (limit: number): Promise<void> => {
    let last = since
    let path = `/v1/feed?limit=${limit}${since && `&since=${since}`}`
    while (path !== '') {
      const { items, headers, status } = await service.ask(path)
      expect(status).toBe(200)
      for (const { id, timestamp } of items) {
        seen.push(String(id))
        if (String(timestamp) > last) last = String(timestamp)
      }
      path = /<([^>]*)>/.exec(String(headers['link'] ?? ''))?.[1] ?? ''
    }
    since = last
  }

  let waiting: readonly Found[] = []
  let n_found = 0
  for (let n = 1; n <= counts.publishes; n++) {
    const at = noon + n * 60 * SECOND
    // Data is up to a day late, and the clock of a process up to five minutes behind.
    const find = (): Found => ({ id: `sig_${++n_found}`, tick_at: at - random.below(86_400) * SECOND })
    // Every fourth publish has new signals.
    const n_new = random.chance(0.25) ? 1 + random.below(3) : 0
    const found = [...waiting, ...Array.from({ length: n_new }, find)]
    const [mine, other] = [at - random.below(300) * SECOND, at - random.below(300) * SECOND]
    const half = random.chance(0.3) ? Math.ceil(found.length / 2) : found.length
    // Another process publishes while this one stands still for longer than its lease.
    const pause = async (): Promise<void> => {
      waiting = await publish({ found: found.slice(half), at: other + HOUR })
    }
    const part = { found: found.slice(0, half), at: mine }
    const left = found.length === 0 ? [] : await publish(half < found.length ? { ...part, pause } : part)
    waiting = half < found.length ? [...left, ...waiting] : left
    if (n % Math.ceil(counts.publishes / (counts.restarts + 1)) === 0) {
      await restart()
      await service.stop()
      service = await startService({ rateFactor: 1_000 })
    }
    service.clock.at += 60 * SECOND
    await service.publish(`poll-${n}`, { feed: stored.slice(-n_kept).map(served) }, 'pulse')
    if (random.chance(0.3)) await poll(random.pick([2, 50]))
  }
  await poll(50)

  expect(stored.length).toBeGreaterThan(counts.publishes / 4)
  expect(seen.toSorted()).toEqual(stored.map(({ id }) => id).toSorted())
  expect((await inLake()).map(({ id }) => id)).toEqual(stored.map(({ id }) => id))
})
