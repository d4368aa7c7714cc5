import { afterAll, beforeAll, expect, test } from 'vitest'

import { flip, writeSnapshot } from './fixture.ts'
import { startService, type Service } from './service.ts'

const n_snapshots = 50
const n_clients = 20
const markets = (snapshot: number) =>
  Array.from({ length: 6 }, (_, i) => ({ id: `m${i}`, question: `of ${snapshot}`, volume: String(snapshot + 1) }))

const nextOf = (link: unknown): string | undefined => /^<([^>]*)>/.exec(String(link))?.[1]

let service: Service
beforeAll(async () => {
  service = await startService({ rows: { markets: markets(0) } })
  for (let i = 1; i <= n_snapshots; i++) await writeSnapshot(service.dir, `s${i}`, { markets: markets(i) }, 'pulse')
}, 60_000)
afterAll(() => service.stop())

/** Walks pages of changing size until it is told to stop; each walk is of one snapshot. Counts what it read. */
const read = async (client: number, progress: { n: number; isOver: boolean }) => {
  let walking: { url: string; question: string } | undefined
  for (let i = 0; !progress.isOver; i++) {
    // Slow enough for the rate limit, quick enough for the 15 minutes of the old cursors.
    service.clock.at += 12_000
    const url: string = walking?.url ?? `/v1/pm-markets?limit=${1 + ((client + i) % 5)}`
    const { status, items, headers } = await service.ask(url)
    expect(status, url).toBe(200)
    const questions = new Set(items.map(({ question }) => String(question)))
    expect(questions.size).toBe(1)
    const [question = ''] = questions
    if (walking) expect(question).toBe(walking.question)
    const next = nextOf(headers.link)
    walking = next === undefined ? undefined : { url: next, question }
    progress.n++
  }
}

test('50 snapshots change while 20 clients read: no request fails, none mixes two, old cursors answer', async () => {
  const progress = { n: 0, isOver: false }
  const firstPage = await service.ask('/v1/pm-markets?limit=2')
  const readers = Promise.all(Array.from({ length: n_clients }, (_, client) => read(client, progress)))
  for (let i = 1; i <= n_snapshots; i++) {
    const n_before = progress.n
    await flip(service.dir, `s${i}`, 'pulse')
    await service.marts.refresh()
    const newest = await service.ask('/v1/pm-markets')
    expect(newest.items[0]?.['question']).toBe(`of ${i}`)
    while (progress.n < n_before + n_clients) await service.ask('/v1/pm-markets')
  }
  progress.isOver = true
  await readers
  const { items } = await service.ask(nextOf(firstPage.headers.link) ?? '')
  expect(items.map(({ question }) => question)).toEqual(['of 0', 'of 0'])
}, 60_000)
