import { afterAll, beforeAll, expect, test } from 'vitest'

import { startService, type Service } from './service.ts'

const n_snapshots = 50
const n_clients = 20
const markets = (snapshot: number) =>
  Array.from({ length: 6 }, (_, i) => ({ id: `m${i}`, question: `of ${snapshot}`, volume: String(snapshot + 1) }))

const nextOf = (link: unknown): string | undefined => /^<([^>]*)>/.exec(String(link))?.[1]

let service: Service
beforeAll(async () => {
  service = await startService({ rows: { markets: markets(0) } })
})
afterAll(() => service.stop())

test('50 snapshots change while 20 clients read: no request fails, none mixes two, old cursors answer', async () => {
  let isOver = false
  const seen = new Set<string>()
  const readers = Array.from({ length: n_clients }, async (_, client) => {
    let walking: { url: string; question: string } | undefined
    for (let i = 0; !isOver; i++) {
      // Slow enough for the rate limit, quick enough for the 15 minutes of the old cursors.
      service.clock.at += 12_000
      const url: string = walking?.url ?? `/v1/pm-markets?limit=${1 + ((client + i) % 5)}`
      const { status, items, headers } = await service.ask(url)
      expect(status, url).toBe(200)
      const questions = new Set(items.map(({ question }) => String(question)))
      expect(questions.size).toBe(1)
      const [question = ''] = questions
      if (walking) expect(question).toBe(walking.question)
      seen.add(question)
      const next = nextOf(headers.link)
      walking = next === undefined ? undefined : { url: next, question }
    }
  })
  const firstPage = await service.ask('/v1/pm-markets?limit=2')
  const oldest = nextOf(firstPage.headers.link) ?? ''
  for (let i = 1; i <= n_snapshots; i++) await service.publish(`s${i}`, { markets: markets(i) })
  const newest = await service.ask('/v1/pm-markets')
  isOver = true
  await Promise.all(readers)
  expect(newest.items[0]?.['question']).toBe(`of ${n_snapshots}`)
  expect(seen.size).toBeGreaterThan(5)
  const { items } = await service.ask(oldest)
  expect(items.map(({ question }) => question)).toEqual(['of 0', 'of 0'])
})
