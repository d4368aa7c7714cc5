import { copyFile, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, test } from 'vitest'

import type { PublicationName } from '#snapshots/publications.ts'
import { flip, writeSnapshot } from '#test/api/fixture.ts'
import { startService, type Reply, type Service } from '#test/api/service.ts'
import { sized } from '#test/run/sized.ts'

/** A publication of scores follows every so many pulses, a whole number. */
const n_pulses = sized(8, 60, 405)
const n_scores = sized(2, 6, 45)
const n_clients = sized(12, 30, 100)
/** Reads between two publications. */
const n_reads = sized(12, 8)
/** The publication whose cursors are followed at the end, after all later ones. */
const n_old = n_pulses - 5
/** Of the clock, for each publication: some two hundred replaced snapshots are held at once. */
const clock_step_us = 4_500_000
/** Publications take turns with so many contents, since a new file for each would take most of the time. */
const n_contents = { pulse: sized(9, 30, 100), scores: sized(3, 6, 20) }
/** The files of replaced snapshots are deleted after this many publications; the attached ones are read on. */
const n_files = 40

/** Snapshots report their number in every row, and in the instant that they are as of. */
const asOf = (hour: number, n: number) => new Date(Date.UTC(2026, 2, 1, hour, 0, n)).toISOString()
const rowsOf = (hour: number, n: number) => ({ as_of: asOf(hour, n).slice(0, 19).replace('T', ' ') })
const pulse = (n: number) => ({
  ...rowsOf(12, n),
  markets: Array.from({ length: 6 }, (_, i) => ({ id: `m${i}`, question: `pulse ${n}`, volume: String(n + 1) })),
})
const scores = (n: number) => ({
  ...rowsOf(11, n),
  closed: Array.from({ length: 9 }, (_, i) => ({ id: `m${i}`, question: `scores ${n}` })),
  traders: Array.from({ length: 5 }, (_, i) => ({ wallet: `0x${i}`, pnl: String(n) })),
})

const nextOf = (link: unknown): string | undefined => /^<([^>]*)>/.exec(String(link))?.[1]

let service: Service
beforeAll(async () => {
  service = await startService({ isEmpty: true, rateFactor: 1_000 })
  for (let k = 0; k < n_contents.pulse; k++) await writeSnapshot(service.dir, `content${k}`, pulse(k), 'pulse')
  for (let k = 0; k < n_contents.scores; k++) await writeSnapshot(service.dir, `content${k}`, scores(k), 'scores')
  await publishNext('pulse', 0)
  await publishNext('scores', 0)
  await service.marts.refresh()
})
afterAll(() => service.stop())

/** Publishes a copy of a content under a name of its own. */
const publishNext = async (name: PublicationName, n: number) => {
  const pathOf = (id: string) => join(service.dir, `${name}-${id}.duckdb`)
  await copyFile(pathOf(`content${n % n_contents[name]}`), pathOf(`n${n}`))
  await flip(service.dir, `n${n}`, name)
  await rm(pathOf(`n${n - n_files}`), { force: true })
}

/** The lists to walk, and the number of rows in each: six of the pulse, three only in scores, five traders. */
const lists = [
  { path: '/v1/pm-markets?status=open', rows: { pulse: 6 } },
  { path: '/v1/pm-markets?status=all', rows: { pulse: 6, scores: 3 } },
  { path: '/v1/pm-markets?status=closed', rows: { scores: 3 } },
  { path: '/v1/pm-traders?sort=clv', rows: { scores: 5 } },
] as const

type Item = Record<string, unknown>

/** Of each snapshot that rows are of (`pulse 7`), how many are. */
const originsOf = (items: Item[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const { question, pnl } of items) {
    const origin = typeof question === 'string' ? question : `scores ${String(pnl)}`
    counts[origin] = (counts[origin] ?? 0) + 1
  }
  return counts
}

/** Walks one list after the other, in pages of changing size; each walk is of one pair of snapshots. */
const read = async (client: number, progress: { n: number; isOver: boolean }) => {
  for (let i = 0; !progress.isOver; i++) {
    const { path, rows } = lists[(client + i) % lists.length] ?? lists[0]
    const items: Item[] = []
    const dates = new Set<unknown>()
    let next: string | undefined = `${path}&limit=${1 + ((client + i) % 5)}`
    while (next !== undefined) {
      const reply = await service.ask(next)
      expect(reply.status, `${next}: ${reply.text}`).toBe(200)
      items.push(...reply.items)
      dates.add(reply.headers['x-data-as-of'])
      next = nextOf(reply.headers.link)
      progress.n++
    }
    const origins = Object.entries(originsOf(items)).map(([origin, n]) => [origin.split(' ')[0], n])
    expect(Object.fromEntries(origins), path).toEqual(rows)
    expect(origins, path).toHaveLength(Object.keys(rows).length)
    expect([...dates], path).toEqual([datedBy(items)])
  }
}

/** The older of the two: scores wherever they are read. */
const datedBy = (items: Item[]): string => {
  const [publish, n] = Object.keys(originsOf(items)).toSorted().at(-1)?.split(' ') ?? []
  return asOf(publish === 'scores' ? 11 : 12, Number(n))
}

test(`${n_pulses} pulses and ${n_scores} scores are published while ${n_clients} clients read: no request fails, none mixes two, old cursors answer`, async () => {
  const progress = { n: 0, isOver: false }
  // Another account, since the clients may use all uncached reads of theirs.
  const ask = (path: string) => service.ask(path, { headers: { authorization: `Bearer ${service.keys.pro}` } })
  let firstPages: Reply[] = []
  const readers = Promise.all(Array.from({ length: n_clients }, (_, client) => read(client, progress)))
  for (let n = 1; n <= n_pulses; n++) {
    const n_before = progress.n
    service.clock.at += clock_step_us
    if (n === n_old) firstPages = await Promise.all(lists.map(({ path }) => ask(`${path}&limit=2`)))
    await publishNext('pulse', n)
    if (n % (n_pulses / n_scores) === 0) await publishNext('scores', (n * n_scores) / n_pulses)
    await service.marts.refresh()
    const newest = await ask('/v1/pm-markets')
    expect(newest.items[0]?.['question']).toBe(`pulse ${n % n_contents.pulse}`)
    // A reader that fails ends the wait.
    while (progress.n < n_before + n_reads) await Promise.race([ask('/v1/pm-markets'), readers])
  }
  progress.isOver = true
  await readers
  for (const { headers, items: before } of firstPages.filter((page) => page.headers.link !== undefined)) {
    const { status, items } = await ask(nextOf(headers.link) ?? '')
    expect(status).toBe(200)
    const seen = originsOf(before)
    // The next page may be of the other publication of the same pair, which is replaced by now too.
    for (const origin of Object.keys(originsOf(items))) {
      expect(origin).not.toBe(`pulse ${n_pulses % n_contents.pulse}`)
      expect(origin).not.toBe(`scores ${n_scores % n_contents.scores}`)
      if (Object.keys(seen)[0]?.split(' ')[0] === origin.split(' ')[0]) expect(seen).toHaveProperty([origin])
    }
  }
})
