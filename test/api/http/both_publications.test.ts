import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import type { PublicationName } from '#snapshots/publications.ts'
import type { SnapshotRows } from '#test/api/fixture.ts'
import { startService, type Service } from '#test/api/service.ts'
import { sized } from '#test/run/sized.ts'

const minute_us = 60_000_000
const before = '2026-03-01 11:00:00'
const after = '2026-03-01 12:00:00'

let service: Service
let n_published = 0
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const publishNext = (of: PublicationName, rows: SnapshotRows) => service.publish(`both-${n_published++}`, rows, of)

const nextOf = (link: unknown): string | undefined => /^<([^>]*)>; rel="next"$/.exec(String(link))?.[1]

/** The ids of all pages of a walk; something happens between two of them. */
const walk = async (path: string, between: () => Promise<void> = async () => {}): Promise<unknown[]> => {
  const ids: unknown[] = []
  for (let next: string | undefined = path; next !== undefined; await between()) {
    service.clock.at += minute_us / 10
    const { status, items, headers, text } = await service.ask(next)
    expect(status, text).toBe(200)
    ids.push(...items.map(({ id }) => id))
    next = nextOf(headers.link)
  }
  return ids
}

/** A market as each publish has it; null where it does not. */
type Market = { id: string; pulse: { volume: string; is_open: boolean } | null; scores: { is_open: boolean } | null }

const state = fc.record({ is_open: fc.boolean() })
const markets: fc.Arbitrary<Market[]> = fc.uniqueArray(
  fc.record({
    id: fc.stringMatching(/^[a-cA-C:]{1,4}$/),
    pulse: fc.option(fc.record({ volume: fc.constantFrom('0', '0.01', '5.00'), is_open: fc.boolean() })),
    scores: fc.option(state),
  }),
  { selector: ({ id }) => id, maxLength: 40 },
)

const rowsOf = (all: readonly Market[]): SnapshotRows => ({
  markets: all.flatMap(({ id, pulse }) => (pulse ? [{ id, ...pulse }] : [])),
  closed: all.flatMap(({ id, scores }) => (scores ? [{ id, ...scores }] : [])),
})

/** The markets that the API must serve, in order. */
const expected = (all: readonly Market[], status: string, isPulseNewer: boolean): string[] =>
  all
    .flatMap(({ id, pulse, scores }) => {
      if (pulse) return [{ id, volume: Number(pulse.volume), is_open: pulse.is_open }]
      return scores && (isPulseNewer || !scores.is_open) ? [{ id, volume: 0, is_open: false }] : []
    })
    .filter(({ is_open }) => status === 'all' || is_open === (status === 'open'))
    .toSorted((a, b) => b.volume - a.volume || Buffer.compare(Buffer.from(a.id), Buffer.from(b.id)))
    .map(({ id }) => id)

test('walking the pages gives every market of both once, while both are published anew', async () => {
  await fc.assert(
    fc.asyncProperty(
      markets,
      markets,
      fc.constantFrom('open', 'closed', 'all'),
      fc.integer({ min: 1, max: 12 }),
      fc.boolean(),
      async (all, others, status, limit, isPulseNewer) => {
        await publishNext('pulse', { ...rowsOf(all), as_of: isPulseNewer ? after : before })
        await publishNext('scores', { ...rowsOf(all), as_of: isPulseNewer ? before : after })
        const republish = async () => {
          await publishNext('pulse', rowsOf(others))
          await publishNext('scores', rowsOf(others))
        }
        const ids = await walk(`/v1/pm-markets?status=${status}&limit=${limit}`, republish)
        expect(ids).toEqual(expected(all, status, isPulseNewer))
      },
    ),
    { numRuns: sized(4, 8, 20) },
  )
})

describe('a market', () => {
  const served = async (status: string) =>
    (await service.ask(`/v1/pm-markets?status=${status}`)).items.map(({ id, yes_price }) => [id, yes_price])

  test('that closes after the scores and leaves the pulse a day later is closed all the while', async () => {
    await publishNext('scores', { closed: [{ id: 'm', is_open: true, yes: '0.6' }], as_of: '2026-02-27 12:00:00' })
    await publishNext('pulse', { markets: [{ id: 'm', yes: '0.7' }], as_of: '2026-02-27 12:00:10' })
    expect([await served('open'), await served('closed')]).toEqual([[['m', 0.7]], []])
    await publishNext('pulse', { markets: [{ id: 'm', yes: '1', is_open: false }], as_of: '2026-02-27 13:00:00' })
    expect([await served('open'), await served('closed'), await served('all')]).toEqual([[], [['m', 1]], [['m', 1]]])
    await publishNext('pulse', { as_of: '2026-02-28 14:00:00' })
    expect([await served('open'), await served('closed'), await served('all')]).toEqual([
      [],
      [['m', 0.6]],
      [['m', 0.6]],
    ])
  })

  test('that was created after the pulse does not count as having left it', async () => {
    await publishNext('pulse', { markets: [{ id: 'm' }], as_of: before })
    await publishNext('scores', {
      closed: [
        { id: 'm', is_open: true },
        { id: 'new', is_open: true },
      ],
      as_of: after,
    })
    expect([await served('open'), await served('closed'), await served('all')]).toEqual([
      [['m', 0.25]],
      [],
      [['m', 0.25]],
    ])
  })
})

describe('an answer', () => {
  const ask = async (path: string) => {
    const { headers } = await service.ask(path)
    return { tag: headers.etag, asOf: headers['x-data-as-of'], modified: headers['last-modified'] }
  }
  const [open, all, traders] = ['/v1/pm-markets', '/v1/pm-markets?status=all&limit=1', '/v1/pm-traders?limit=1']
  const rows = { markets: [{ id: 'a' }, { id: 'b' }], traders: [{ wallet: '0x1' }, { wallet: '0x2' }] }

  test('has the dates of its snapshots: as of the older, published with the newer', async () => {
    await publishNext('scores', { ...rows, as_of: '2026-03-01 11:00:00', built_at: '2026-03-01 11:05:00' })
    await publishNext('pulse', { ...rows, as_of: '2026-03-01 12:00:00', built_at: '2026-03-01 12:00:01' })
    const [pulse, both, scores] = await Promise.all([open, all, traders].map(ask))
    expect(pulse).toMatchObject({ asOf: '2026-03-01T12:00:00.000Z', modified: 'Sun, 01 Mar 2026 12:00:01 GMT' })
    expect(both).toMatchObject({ asOf: '2026-03-01T11:00:00.000Z', modified: 'Sun, 01 Mar 2026 12:00:01 GMT' })
    expect(scores).toMatchObject({ asOf: '2026-03-01T11:00:00.000Z', modified: 'Sun, 01 Mar 2026 11:05:00 GMT' })
  })

  test('stays until one is published that it reads', async () => {
    await publishNext('scores', rows)
    await publishNext('pulse', rows)
    const tags = async () => (await Promise.all([open, all, traders].map(ask))).map(({ tag }) => tag)
    const first = await tags()
    await publishNext('pulse', rows)
    const second = await tags()
    await publishNext('scores', rows)
    const third = await tags()
    expect(second.map((tag, i) => tag === first[i])).toEqual([false, false, true])
    expect(third.map((tag, i) => tag === second[i])).toEqual([true, false, false])
  })

  test('stays current while the other publication changes, and its cursor continues', async () => {
    await publishNext('scores', rows)
    const first = await service.ask(traders)
    const wasHit = () => JSON.parse(service.lines.at(-1) ?? '{}').isHit
    for (let n = 0; n < 3; n++) {
      await publishNext('pulse', rows)
      service.clock.at += 10 * minute_us
      await service.marts.refresh()
      expect((await service.ask(traders)).headers.etag).toBe(first.headers.etag)
      await expect.poll(wasHit).toBe(true)
    }
    const { status, items } = await service.ask(nextOf(first.headers.link) ?? '')
    expect([status, items.map(({ wallet }) => wallet)]).toEqual([200, ['0x2']])
  })

  test('over both has a cursor of both, which ends with the first that is let go', async () => {
    await publishNext('scores', rows)
    await publishNext('pulse', rows)
    const next = nextOf((await service.ask(all)).headers.link) ?? ''
    await publishNext('scores', {})
    await publishNext('pulse', {})
    service.clock.at += 14 * minute_us
    await service.marts.refresh()
    expect((await service.ask(next)).items.map(({ id }) => id)).toEqual(['b'])
    service.clock.at += minute_us
    await service.marts.refresh()
    expect((await service.ask(next)).json['message']).toMatch(/^cursor: expired/)
  })
})

test('with one publication the service is not ready, and serves that publication', async () => {
  const other = await startService({ isEmpty: true })
  const none = await other.ask('/v1/pm-traders')
  expect(none.json['message']).toContain('no snapshot has been published yet ("tapeline score" publishes all)')
  await other.publish('old', { traders: [{ wallet: '0x1' }] }, 'scores')
  const statusOf = async (path: string) => (await other.ask(path)).status
  expect([await statusOf('/v1/pm-traders'), await statusOf('/v1/pm-markets'), await statusOf('/readyz')]).toEqual([
    200, 503, 503,
  ])
  const { json } = await other.ask('/v1/pm-markets?status=all')
  expect(json['message']).toContain('no snapshot of pulse has been published yet ("tapeline score" publishes all)')
  await other.publish('new', {}, 'pulse')
  expect([await statusOf('/v1/pm-markets?status=all'), await statusOf('/readyz')]).toEqual([200, 200])
  await other.stop()
})
