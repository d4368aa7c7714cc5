import { describe, expect, test } from 'vitest'
import { z } from 'zod'

import { ingestUnits, type Tally } from '#ingest/batch.ts'
import type { Http } from '#ingest/http/http.ts'
import { encodeQuery } from '#ingest/http/request.ts'
import { HttpError, parseShape } from '#ingest/http/response.ts'
import { expireProgress } from '#lake/raw/progress.ts'
import { readRaw } from '#lake/units/raw_responses.ts'
import { rawPath, type Unit } from '#lake/units/unit.ts'
import { newLake, noon, quote } from '#test/lake/fixture.ts'
import { parquetFiles } from '#test/pipeline/lakefiles.ts'
import { DAY, machineClock } from '#time.ts'

import { second, tinyHost, tinySource, unitOf } from './tiny.ts'

const unit = unitOf('0xa', { to: 0 })
const padding = ' '.repeat(400)
/** Three pages fill a file of progress. */
const progressLength = 1_200
const n_pages = 8

/** A list of eight pages. `faults` are the statuses of pages that fail, 0 for none; `edition` changes its rows. */
type Upstream = { asked: number[]; faults: Record<number, number>; edition: string; volume: number }

const upstreamOf = (faults: Record<number, number> = {}): Upstream => ({ asked: [], faults, edition: 'a', volume: 1 })

const httpOf =
  (upstream: Upstream): Http =>
  async ({ path, query }, shape, onReply) => {
    const page = Number(query?.['page'])
    upstream.asked.push(page)
    const status = upstream.faults[page] ?? 200
    const [host, volume] = [tinyHost.name, (upstream.volume += 0.5)]
    const body = JSON.stringify({ page, edition: upstream.edition, volume, padding })
    const reply = {
      host,
      path,
      query: encodeQuery(query),
      status,
      body,
      headers: {},
      world: 'real',
      asked: [host],
      sent: 1,
    }
    const what = `answered ${status}`
    if (status < 500) await onReply?.(reply)
    if (status !== 200) throw new HttpError({ host, path, status, attempts: 1, body: '', what })
    return parseShape(host, path, JSON.parse(body), shape)
  }

const pageShape = z.object({ page: z.number(), edition: z.string() })

/** A source of one row a page, which asks for its pages in a given order. */
const sourceOf = (pages: readonly number[]) =>
  tinySource({
    read: async (_, { get, keepRows }) => {
      for (const asked of pages) {
        const { page, edition } = await get({ host: tinyHost.name, path: '/list', query: { page: asked } }, pageShape)
        await keepRows('quotes', [quote(`${edition}${page}`, page * second)])
      }
      return { rows: {}, rejected: [], state: 'complete', proof: 'all pages' }
    },
  })

type Lake = Awaited<ReturnType<typeof newLake>>
type Of = { at?: number; of?: Unit; pages?: readonly number[]; keepRaw?: boolean; cancelled?: AbortSignal }
const inOrder = Array.from({ length: n_pages }, (_, n) => n)

const pull = (
  lake: Lake,
  upstream: Upstream,
  { at = noon, of = unit, pages = inOrder, ...rest }: Of = {},
): Promise<Tally> =>
  ingestUnits(
    { lake, http: httpOf(upstream), keepRaw: true, progressLength, concurrency: 1, ...rest },
    () => sourceOf(pages),
    [of],
    at,
  )

const marketsOf = async (lake: Lake): Promise<string[]> => {
  const sql = 'select market_id from lake.quotes order by ts'
  const rows = await lake.read(({ query }) => query(sql, z.object({ market_id: z.string() })))
  return rows.map(({ market_id }) => market_id)
}
const all = (edition: string): string[] => inOrder.map((page) => `venue:${edition}${page}`)
const begun = (lake: Lake): Promise<string[]> => lake.storage.list('progress')

/** A lake in which a reading failed at the seventh page, after two files of progress. */
async function interrupted(status = 503): Promise<{ lake: Lake; upstream: Upstream }> {
  const [lake, upstream] = [await newLake(), upstreamOf({ 6: status })]
  expect(await pull(lake, upstream)).toMatchObject({ failed: 1, rows: 0 })
  expect(upstream.asked.splice(0)).toEqual([0, 1, 2, 3, 4, 5, 6])
  upstream.faults = {}
  return { lake, upstream }
}

describe('a unit whose reading was interrupted', () => {
  test('is continued by a later run, as of its own instant; the last stored page is compared', async () => {
    const { lake, upstream } = await interrupted()
    expect(await begun(lake)).toHaveLength(2)
    expect(await pull(lake, upstream, { at: noon + 60 * second })).toMatchObject({ units: 1, rows: n_pages, failed: 0 })
    expect(upstream.asked).toEqual([5, 6, 7])
    expect(await begun(lake)).toEqual([])

    const calm = await newLake()
    await pull(calm, upstreamOf())
    expect(await parquetFiles(lake.home)).toEqual(await parquetFiles(calm.home))
    const raw = await readRaw(lake, rawPath(unit))
    expect(raw.at).toBe(noon)
    expect(raw.replies.map(({ query }) => query)).toEqual(inOrder.map((page) => `page=${page}`))
  })

  test('is continued again after a second interruption', async () => {
    const { lake, upstream } = await interrupted()
    upstream.faults = { 7: 503 }
    expect(await pull(lake, upstream)).toMatchObject({ failed: 1 })
    upstream.faults = {}
    expect(await pull(lake, upstream)).toMatchObject({ rows: n_pages })
    expect(upstream.asked).toEqual([5, 6, 7, 5, 6, 7])
    expect(await marketsOf(lake)).toEqual(all('a'))
  })

  test('is continued after a cancellation', async () => {
    const [lake, upstream, stop] = [await newLake(), upstreamOf(), new AbortController()]
    const pulled = pull(
      lake,
      {
        ...upstream,
        get faults() {
          if (upstream.asked.length === 5) stop.abort(new Error('the run ends'))
          return {}
        },
      },
      { cancelled: stop.signal },
    )
    await expect(pulled).rejects.toThrow('cancelled: the run ends')
    upstream.asked.length = 0
    expect(await pull(lake, upstream)).toMatchObject({ rows: n_pages })
    expect(upstream.asked).toEqual([2, 3, 4, 5, 6, 7])
  })

  test('begins anew if the upstream answers otherwise than before', async () => {
    const { lake, upstream } = await interrupted()
    upstream.edition = 'b'
    expect(await pull(lake, upstream)).toMatchObject({ rows: n_pages })
    expect(upstream.asked).toEqual([5, ...inOrder])
    expect(await marketsOf(lake)).toEqual(all('b'))
    expect((await readRaw(lake, rawPath(unit))).replies).toHaveLength(n_pages)
  })

  test.each([
    ['the upstream refused a page', 404, {}],
    ['it is a refresh', 503, { at: noon + 1, of: { ...unit, forceRefresh: true } }],
    ['it has other parameters', 503, { of: { ...unit, params: ['x'] } }],
    ['it began more than a day ago', 503, { at: noon + DAY + 1 }],
  ])('begins anew if %s', async (_, status, of) => {
    const { lake, upstream } = await interrupted(status)
    expect(await pull(lake, upstream, of)).toMatchObject({ rows: n_pages })
    expect(upstream.asked).toEqual(inOrder)
    expect(await begun(lake)).toEqual([])
  })

  test('begins anew if its source asks for less than before', async () => {
    const { lake, upstream } = await interrupted()
    const pages = [5, 6, 7]
    expect(await pull(lake, upstream, { pages })).toMatchObject({ rows: 3 })
    expect(upstream.asked).toEqual([5, 6, 7, 5, 6, 7])
    expect((await readRaw(lake, rawPath(unit))).replies).toHaveLength(3)
  })

  test('leaves nothing if raw responses are not kept', async () => {
    const [lake, upstream] = [await newLake(), upstreamOf({ 6: 503 })]
    await pull(lake, upstream, { keepRaw: false })
    expect(await begun(lake)).toEqual([])
  })

  test('leaves files that maintenance removes a day after the last of them', async () => {
    const { lake } = await interrupted()
    await expireProgress(lake, machineClock() - DAY)
    expect(await begun(lake)).toHaveLength(2)
    await expireProgress(lake, machineClock() + DAY)
    expect(await begun(lake)).toEqual([])
  })
})
