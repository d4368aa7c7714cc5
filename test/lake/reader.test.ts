import { readdir } from 'node:fs/promises'

import { describe, expect, test } from 'vitest'
import { z } from 'zod'

import { fieldId } from '#lake/columns.ts'
import { coverage, datasets, quarantine } from '#lake/datasets/index.ts'
import type { Lake } from '#lake/lake.ts'
import type { LakeReader, PathFilter } from '#lake/reader.ts'
import type { Unit } from '#lake/units/unit.ts'

import { lifeOf, market, newLake, noon, quote, storeRows } from './fixture.ts'

const counted = z.object({ n: z.bigint() })
const named = z.object({ name: z.string() })
const everything = { ...datasets, quarantine, coverage }

/** The paths of the data files whose path has a part. */
const dataFiles = async ({ storage }: Lake, part: string): Promise<string[]> =>
  (await storage.list('lake')).filter((path) => path.includes(part))

describe('an empty lake', () => {
  test('has every dataset, with its columns and types, and no row', async () => {
    const lake = await newLake()
    for (const [name, { columns }] of Object.entries(everything)) {
      const described = z.object({ column_name: z.string(), column_type: z.string() })
      const seen = await lake.read(({ query }) => query(`describe select * from lake.${name}`, described))
      const expected = Object.entries(columns).map(([column_name, { sql: column_type }]) => ({
        column_name,
        column_type,
      }))
      expect(seen).toEqual(expected)
      expect(await lake.read(({ query }) => query(`select count(*) as n from lake.${name}`, counted))).toEqual([
        { n: 0n },
      ])
    }
  })
})

describe('a reader', () => {
  test('parses its rows and says what does not fit', async () => {
    const lake = await newLake()
    await storeRows(lake, lifeOf('0xa'), { quotes: [quote('m', noon)] })
    const shape = z.object({ market_id: z.number() })
    await expect(lake.read(({ query }) => query('select market_id from lake.quotes', shape))).rejects.toThrow(
      'expected number, received string',
    )
  })

  test('waits for the queries of work that ended before them, and takes no later ones', async () => {
    const lake = await newLake()
    const counts: unknown[] = []
    const opened: LakeReader[] = []
    const cancelled = lake.read(async (reader) => {
      opened.push(reader)
      const slow = 'select count(*) as n from range(20_000_000) a(i) where i % 7 < $most'
      for (const most of [1, 2, 3]) void reader.query(slow, counted, { most }).then((rows) => counts.push(...rows))
      throw new Error('cancelled')
    })
    await expect(cancelled).rejects.toThrow('cancelled')
    expect(counts).toHaveLength(3)
    await expect(opened[0]?.query('select 1::bigint as n', counted)).rejects.toThrow('reader: it is closed; expected')
    await lake.close()
    await expect(lake.read(({ query }) => query('select 1::bigint as n', counted))).rejects.toThrow(
      'lake: it is closed',
    )
  })

  test('sees a file of before a column was added beside one of after', async () => {
    const lake = await newLake()
    await storeRows(lake, lifeOf('0xa'), { quotes: [quote('new', noon, { size: 5_000_000n })] })
    await storeRows(lake, lifeOf('0xold'), { quotes: [quote('old', noon)] })
    const old = lake.local.locate((await dataFiles(lake, '0xold'))[0] ?? '')
    const columns = ['venue', 'market_id', 'ts', 'period_s', 'bid', 'ask', 'last', 'source']
    const connection = await lake.writer.connect()
    // As it was when quotes had neither sizes nor volumes, and their columns lay in another order.
    await connection.run(
      `copy (select 'venue' as venue, 'venue:old' as market_id, timestamp '2026-01-01' as ts, 0::bigint as period_s,
         0.5::decimal(9,6) as bid, null::decimal(9,6) as ask, null::decimal(9,6) as "last", 'venue_quotes' as source)
       to '${old}' (format parquet, field_ids {${columns.map((name) => `"${name}": ${fieldId(name)}`).join(', ')}})`,
    )
    const shape = z.object({ market_id: z.string(), bid: z.number(), size: z.number().nullable() })
    expect(
      await lake.read(({ query }) => query('select market_id, bid, size from lake.quotes order by 1', shape)),
    ).toEqual([
      { market_id: 'venue:new', bid: 0.4, size: 5 },
      { market_id: 'venue:old', bid: 0.5, size: null },
    ])
  })

  test('reads on undisturbed while the files that it reads are written anew', async () => {
    const lake = await newLake()
    const rows = (n: number) => Array.from({ length: 1 + (n % 7) * 300 }, (_, i) => quote(`m${i}`, noon))
    const units = ['0xa', '0xb', '0xc'].map(lifeOf)
    for (const unit of units) await storeRows(lake, unit, { quotes: rows(0) })
    let isWriting = true
    const write = async (): Promise<void> => {
      for (let n = 0; n < 15; n++) for (const unit of units) await storeRows(lake, unit, { quotes: rows(n) })
      isWriting = false
    }
    const read = async (): Promise<number> => {
      let n = 0
      for (; isWriting; n++) {
        const sql = 'select count(*) as n from (select distinct market_id, bid, source from lake.quotes)'
        const [row] = await lake.read(({ query }) => query(sql, counted))
        expect(Number(row?.n) % 300).toBe(1)
      }
      return n
    }
    const [, ...reads] = await Promise.all([write(), read(), read()])
    for (const n of reads) expect(n).toBeGreaterThan(1)
    expect(await readdir(lake.scratch).catch(() => [])).toEqual([])
  })

  test('sees the lake as it was when it first asked, one that comes after it as it is then', async () => {
    const lake = await newLake()
    await storeRows(lake, lifeOf('0xa'), { quotes: [quote('m', noon)] })
    const sql = 'select count(*) as n from lake.quotes'
    await lake.read(async ({ query }) => {
      expect(await query(sql, counted)).toEqual([{ n: 1n }])
      await storeRows(lake, lifeOf('0xa'), { quotes: [] })
      await storeRows(lake, lifeOf('0xb'), { quotes: [quote('m', noon), quote('m', noon + 1)] })
      expect(await query(sql, counted)).toEqual([{ n: 1n }])
    })
    expect(await lake.read(({ query }) => query(sql, counted))).toEqual([{ n: 2n }])
  })

  test('opens only what a query names, once, also when it is asked twice at a time', async () => {
    const lake = await newLake()
    await storeRows(lake, lifeOf('0xa'), { quotes: [quote('m', noon)] })
    await storeRows(lake, lifeOf('0xb'), { markets: [market('m')] })
    await lake.storage.put((await dataFiles(lake, 'lake/markets'))[0] ?? '', Buffer.from('no Parquet'))
    await lake.read(async ({ query }) => {
      const sql = 'select count(*) as n from LAKE.Quotes'
      expect(await Promise.all([query(sql, counted), query(sql, counted)])).toEqual([[{ n: 1n }], [{ n: 1n }]])
      await expect(query('select count(*) as n from lake.markets', counted)).rejects.toThrow(/parquet/i)
    })
  })

  test('opens of a table only the files of units that begin as given, and of the others all', async () => {
    const lake = await newLake()
    const seen = (source: string, at: number): Unit => ({
      ...lifeOf(''),
      source,
      kind: 'observation',
      from: at,
      to: at,
    })
    const hour = 3_600_000_000
    for (const [n, at] of [noon - 14 * hour, noon, noon + hour].entries()) {
      await storeRows(lake, seen('venue_odds', at), { quotes: [quote(`odds${n}`, at)] })
    }
    await storeRows(lake, lifeOf('0xa'), { quotes: [quote('life', noon)], markets: [] })
    // Neither the file of another day nor that of another source is opened.
    await lake.storage.put((await dataFiles(lake, 'venue_odds/venue/2026-11-19'))[0] ?? '', Buffer.from('no Parquet'))
    const read = (only: PathFilter, table = 'quotes') =>
      lake.read(async ({ query }) => {
        const column = table === 'quotes' ? 'market_id' : "source || ' ' || dataset"
        const rows = await query(`select ${column} as name from lake.${table} order by 1`, named, undefined, only)
        return rows.map(({ name }) => name)
      })
    const day = 'venue_odds/venue/2026-11-20'
    expect(await read({ quotes: [day] })).toEqual(['venue:odds1', 'venue:odds2'])
    expect(await read({ quotes: [`${day}T13`] })).toEqual(['venue:odds1'])
    expect(await read({ quotes: [day, 'venue_quotes/'] })).toEqual(['venue:life', 'venue:odds1', 'venue:odds2'])
    expect(await read({ quotes: ['nobody/'], coverage: [] })).toEqual([])
    expect(await read({ coverage: ['venue_quotes/'] }, 'coverage')).toEqual([
      'venue_quotes markets',
      'venue_quotes quotes',
    ])
    await expect(read({ quotes: ['venue_odds/venue/2026-11-19'] })).rejects.toThrow(/parquet/i)
    // Two kinds of view, side by side in one reader.
    const sql = 'select market_id as name from lake.quotes order by 1'
    const both = await lake.read(({ query }) =>
      Promise.all([{ quotes: [day] }, { quotes: ['venue_quotes/'] }].map((only) => query(sql, named, undefined, only))),
    )
    expect(both.map((rows) => rows.length)).toEqual([2, 1])
    expect(await readdir(lake.scratch).catch(() => [])).toEqual([])
  })

  test('binds values by name, and passes them as values', async () => {
    const lake = await newLake()
    await storeRows(lake, lifeOf('0xa'), { quotes: [quote("m'--", noon)] })
    const sql = 'select count(*) as n from lake.quotes where market_id = $id'
    expect(await lake.read(({ query }) => query(sql, counted, { id: "venue:m'--" }))).toEqual([{ n: 1n }])
  })
})
