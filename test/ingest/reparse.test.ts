import { describe, expect, test } from 'vitest'
import { z } from 'zod'

import { ingestUnits } from '#ingest/batch.ts'
import { reparse } from '#ingest/reparse.ts'
import type { Lake } from '#lake/lake.ts'
import { rawPath } from '#lake/units/unit.ts'
import { newLake, noon } from '#test/lake/fixture.ts'
import { parquetFiles } from '#test/pipeline/lakefiles.ts'

import { readItems, second, tinyHttp, tinySource, unitOf } from './tiny.ts'

const noon_s = noon / second
/** Of 0xa one item has a wire that the parser does not know yet: a bid that is text. */
const listing = {
  '0xa': [
    { ts: noon_s - 500, bid: 1 },
    { ts: noon_s - 400, bid: '2' },
    { ts: noon_s - 300, bid: 3 },
  ],
  '0xb': [{ ts: noon_s - 200, bid: 5 }],
}
const item = z.object({ ts: z.number(), bid: z.coerce.number() })
const mended = tinySource({ read: (unit, context) => readItems(unit, context, (body) => item.parse(body)) })

async function pulled(source = tinySource()): Promise<Lake & { home: string }> {
  const lake = await newLake()
  const tools = { lake, http: tinyHttp(listing).http, keepRaw: true, concurrency: 2 }
  await ingestUnits(tools, () => source, [unitOf('0xa'), unitOf('0xb')], noon)
  return lake
}

const count = async (lake: Lake, table: string): Promise<number> => {
  const [row] = await lake.read(({ query }) =>
    query(`select count(*)::int as n from lake.${table}`, z.object({ n: z.number() })),
  )
  return row?.n ?? -1
}

/** Coverage as stored, but for what may differ between two honest runs. */
const coverageOf = (lake: Lake) =>
  lake.read(({ query }) =>
    query(
      'select * exclude (asked, verified, upstream_at, checked_at) from lake.coverage order by unit',
      z.record(z.string(), z.unknown()),
    ),
  )

describe('reparse', () => {
  test('gives the same lake, byte for byte, by the same parser', async () => {
    const lake = await pulled()
    const before = await parquetFiles(lake.home)
    const covered = await coverageOf(lake)
    const reported: [number, number][] = []
    expect(await reparse(lake, tinySource(), (done, of) => reported.push([done, of]))).toEqual({
      units: 2,
      rows: 3,
      quarantined: 1,
      failed: [],
    })
    expect(reported).toEqual([
      [1, 2],
      [2, 2],
    ])
    expect(await parquetFiles(lake.home)).toEqual(before)
    expect(await coverageOf(lake)).toEqual(covered)
  })

  test('turns quarantined rows into rows after the parser is corrected', async () => {
    const lake = await pulled()
    expect([await count(lake, 'quotes'), await count(lake, 'quarantine')]).toEqual([3, 1])
    expect(await reparse(lake, mended, () => undefined)).toMatchObject({ units: 2, rows: 4, quarantined: 0 })
    expect([await count(lake, 'quotes'), await count(lake, 'quarantine')]).toEqual([4, 0])
    const always = await pulled(mended)
    expect(await parquetFiles(lake.home)).toEqual(await parquetFiles(always.home))
    expect(await coverageOf(lake)).toEqual(await coverageOf(always))
  })

  test('leaves a unit as it is stored where its answers do not suffice, and says so', async () => {
    const lake = await pulled()
    const before = await parquetFiles(lake.home)
    const curious = tinySource({
      read: async (unit, context) => {
        if (unit.key === '0xa') await context.get({ host: 'polymarket_data', path: '/names' }, z.unknown())
        return readItems(unit, context)
      },
    })
    const done = await reparse(lake, curious, () => undefined)
    expect(done).toMatchObject({ units: 1, rows: 1 })
    expect(done.failed).toEqual([
      {
        unit: rawPath(unitOf('0xa')),
        reason: 'polymarket_data /names?: no stored response; expected a unit that was read with this request',
      },
    ])
    expect(await parquetFiles(lake.home)).toEqual(before)
  })

  test('of a source of which nothing was kept does nothing', async () => {
    const lake = await pulled()
    const none = { units: 0, rows: 0, quarantined: 0, failed: [] }
    expect(await reparse(lake, tinySource({ name: 'venue_fills' }), () => undefined)).toEqual(none)
  })
})
