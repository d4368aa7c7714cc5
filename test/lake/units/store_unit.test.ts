import { readdir } from 'node:fs/promises'

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

import type { Quote } from '#lake/datasets/index.ts'
import type { Lake } from '#lake/lake.ts'
import { storeFailure } from '#lake/units/store_unit.ts'
import { unitPath } from '#lake/units/unit.ts'
import { lifeOf, market, newLake, noon, quote, storeRows } from '#test/lake/fixture.ts'
import { parquetFiles } from '#test/pipeline/lakefiles.ts'
import { isoMicros } from '#time.ts'

const unit = lifeOf('0xa')
const minute = 60_000_000

const anyRow = z.record(z.string(), z.unknown())
const rowsOf = (lake: Lake, sql: string): Promise<Record<string, unknown>[]> =>
  lake.read((reader) => reader.query(sql, anyRow))
const statesOf = async (lake: Lake) =>
  (await rowsOf(lake, 'select dataset, state, n_rows, reason from lake.coverage order by dataset')).map(
    ({ dataset, state, n_rows, reason }) => [dataset, state, Number(n_rows), reason],
  )

/** Rows in an order of their own for each seed. */
const shuffled = <T>(rows: readonly T[], seed: number): T[] =>
  rows
    .map((row, n) => ({ row, at: Math.imul(n + 1, 2_654_435_761 ^ (seed * 40_503)) >>> 0 }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ row }) => row)

describe('the bytes of a unit', () => {
  const rows = Array.from({ length: 5_000 }, (_, n) =>
    quote(`m${n % 700}`, noon + Math.floor(n / 700) * minute, { bid: BigInt(n), last: n % 3 === 0 ? null : 500_000n }),
  )

  test('depend on the rows alone: neither on their order nor on threads', async () => {
    const digests: Record<string, string>[] = []
    for (const threads of [1, 2]) {
      for (const seed of [0, 1]) {
        const lake = await newLake({ threads })
        await storeRows(lake, unit, { quotes: seed === 0 ? rows : shuffled(rows, seed) })
        digests.push(await parquetFiles(lake.home))
      }
    }
    expect(Object.keys(digests[0] ?? {})).toEqual(['quotes/v1/venue_quotes/venue/70/0xa.parquet'])
    for (const digest of digests) expect(digest).toEqual(digests[0])
  })

  test('are in coverage as a digest, and change with any value', async () => {
    const lake = await newLake()
    await storeRows(lake, unit, { quotes: rows })
    const [first] = await rowsOf(lake, 'select digest from lake.coverage')
    expect(await parquetFiles(lake.home)).toEqual({ 'quotes/v1/venue_quotes/venue/70/0xa.parquet': first?.['digest'] })
    await storeRows(lake, unit, { quotes: [quote('m0', noon, { bid: 1n }), ...rows.slice(1)] })
    expect(await rowsOf(lake, 'select digest from lake.coverage')).not.toEqual([first])
  })
})

describe('rows', () => {
  test('come back as they went in: exact, with what is null null', async () => {
    const lake = await newLake()
    const exact = quote('m', noon + 1, {
      bid: -999_999_999n,
      last: null,
      size: 12_345_678_901_234_567_890_123_456_789_012n,
      volume_24h_usd: 1n,
    })
    const described = market('é😀', { labels: ["Yes'", 'No"', ''], token_ids: [], tags: ['a\nb'], ends_at: noon + 7 })
    await storeRows(lake, unit, { quotes: [exact], markets: [described] })
    const [back] = await rowsOf(
      lake,
      `select epoch_us(ts) as ts, (bid * 1000000)::varchar as bid, "last", replace(size::varchar, '.', '') as size,
         replace(volume_24h_usd::varchar, '.', '') as volume, source from lake.quotes`,
    )
    expect(back).toEqual({
      ts: BigInt(noon + 1),
      bid: '-999999999.000000',
      last: null,
      size: '12345678901234567890123456789012',
      volume: '0000001',
      source: 'venue_quotes',
    })
    const [seen] = await rowsOf(
      lake,
      'select labels, token_ids, tags, question, epoch_us(ends_at) as e from lake.markets',
    )
    expect(seen).toEqual({
      labels: ["Yes'", 'No"', ''],
      token_ids: [],
      tags: ['a\nb'],
      question: 'Will é😀 happen?',
      e: BigInt(noon + 7),
    })
  })

  test('of one key are refused, with the key, and nothing is stored', async () => {
    const lake = await newLake()
    await expect(storeRows(lake, unit, { quotes: [quote('m', noon), quote('m', noon)] })).rejects.toThrow(
      `two rows of quotes have the same key (market_id, ts, period_s): venue:m, ${noon}, 0`,
    )
    expect(await parquetFiles(lake.home).catch(() => ({}))).toEqual({})
  })

  test('without a value where there must be one are refused', async () => {
    const lake = await newLake()
    const broken = { ...quote('m', noon), venue: null } as unknown as Quote
    await expect(storeRows(lake, unit, { quotes: [broken] })).rejects.toThrow(/venue/)
  })

  test('that a unit has lost take their file with them, and the rest stays', async () => {
    const lake = await newLake()
    await storeRows(lake, unit, { quotes: [quote('m', noon)], markets: [market('m')] })
    await storeRows(lake, unit, { quotes: [], markets: [market('m')] })
    expect(Object.keys(await parquetFiles(lake.home))).toEqual(['markets/v1/venue_quotes/venue/70/0xa.parquet'])
    expect(await rowsOf(lake, 'select * from lake.quotes')).toEqual([])
    expect(await statesOf(lake)).toEqual([
      ['markets', 'head', 1, null],
      ['quotes', 'head', 0, null],
    ])
  })

  test('that were not finished leave no trace in the lake', async () => {
    const lake = await newLake()
    await storeRows(lake, unit, { quotes: [quote('m', noon)] })
    await storeRows(lake, unit, { quotes: [quote('m', noon), quote('m', noon)] }).catch(() => undefined)
    expect(await readdir(lake.scratch).catch(() => [])).toEqual([])
    expect(await rowsOf(lake, 'select market_id from lake.quotes')).toEqual([{ market_id: 'venue:m' }])
  })
})

describe('a failure', () => {
  const failure = (reason: string) => ({
    datasets: ['quotes', 'markets'] as const,
    precedence: 3,
    reason,
    asked: ['venue'],
    checkedAt: noon,
  })

  test('is an entry for each dataset, with its reason, and the newest reason counts', async () => {
    const lake = await newLake()
    await storeFailure(lake, unit, failure('answered 500'))
    await storeFailure(lake, unit, failure('answered 502'))
    expect(await statesOf(lake)).toEqual([
      ['markets', 'missing', 0, 'answered 502'],
      ['quotes', 'missing', 0, 'answered 502'],
    ])
  })

  test('takes nothing away from what is stored', async () => {
    const lake = await newLake()
    await storeRows(lake, unit, { quotes: [quote('m', noon)] }, { state: 'done' })
    await storeFailure(lake, unit, failure('answered 500'))
    expect(await statesOf(lake)).toEqual([['quotes', 'done', 1, null]])
    expect(await rowsOf(lake, 'select market_id from lake.quotes')).toHaveLength(1)
  })

  test('is over once the unit was read', async () => {
    const lake = await newLake()
    await storeFailure(lake, unit, failure('answered 500'))
    await storeRows(lake, unit, { quotes: [], markets: [] }, { state: 'done' })
    expect(await statesOf(lake)).toEqual([
      ['markets', 'done', 0, null],
      ['quotes', 'done', 0, null],
    ])
  })
})

describe('refused rows', () => {
  const bodies = [{ id: 7, text: 'é😀' }, 'not even JSON', undefined, null, 12n.toString()]

  test('are kept in their order with reason and body, and go when the unit parses', async () => {
    const lake = await newLake()
    const rejected = bodies.map((body, n) => ({
      dataset: 'quotes' as const,
      reason: `reason ${n}`,
      body,
      ...(n === 0 ? { path: '/quotes' } : {}),
    }))
    const stored = await storeRows(lake, unit, { quotes: [quote('m', noon)] }, { rejected })
    expect(stored).toMatchObject({ n_rows: 1, n_quarantined: 5 })
    const rows = await rowsOf(
      lake,
      'select dataset, unit, ordinal, reason, path, body, source from lake.quarantine order by ordinal',
    )
    expect(rows[0]).toEqual({
      dataset: 'quotes',
      unit: unitPath(unit),
      ordinal: 0,
      reason: 'reason 0',
      path: '/quotes',
      body: '{"id":7,"text":"é😀"}',
      source: 'venue_quotes',
    })
    expect(rows.map(({ body }) => body)).toEqual(['{"id":7,"text":"é😀"}', 'not even JSON', 'undefined', 'null', '12'])
    await storeRows(lake, unit, { quotes: [quote('m', noon)] })
    expect(await rowsOf(lake, 'select * from lake.quarantine')).toEqual([])
  })
})

describe('coverage', () => {
  test('reads back by type, to the microsecond', async () => {
    const lake = await newLake()
    const upstreamAt = noon + 123_456
    await storeRows(
      lake,
      { ...unit, from: 1 },
      { quotes: [quote('m', noon)] },
      {
        precedence: 7,
        to: noon + 999_999,
        upstreamAt,
        proof: 'its "count" is 1',
        asked: ['a', 'b'],
        resume: '{"version":7}',
        checkedAt: noon,
      },
    )
    const [row] = await rowsOf(
      lake,
      `select columns(c -> c not in ('digest', 'from_at', 'to_at', 'upstream_at', 'checked_at')),
         epoch_us(from_at) as from_us, epoch_us(to_at) as to_us, epoch_us(upstream_at) as upstream_us,
         epoch_us(checked_at) as checked_us, length(digest) as digest
       from lake.coverage`,
    )
    expect(row).toEqual({
      dataset: 'quotes',
      unit: 'venue_quotes/venue/0xa',
      part: 'venue',
      key: '0xa',
      precedence: 7,
      state: 'head',
      n_rows: 1n,
      n_read: 1n,
      n_rejected: 0n,
      asked: ['a', 'b'],
      verified: [],
      proof: 'its "count" is 1',
      reason: null,
      reason_code: null,
      gaps: null,
      resume: '{"version":7}',
      source: 'venue_quotes',
      from_block: null,
      to_block: null,
      from_us: 1n,
      to_us: BigInt(noon + 999_999),
      upstream_us: BigInt(upstreamAt),
      checked_us: BigInt(noon),
      digest: 64n,
    })
  })

  test('has no end where the unit has none', async () => {
    const lake = await newLake()
    await storeRows(lake, unit, { quotes: [] }, { to: null })
    expect(await rowsOf(lake, 'select to_at, upstream_at, digest from lake.coverage')).toEqual([
      { to_at: null, upstream_at: null, digest: null },
    ])
  })

  test('writes instants that DuckDB reads as what they were, also before 1970', async () => {
    const lake = await newLake()
    const instants = fc.sample(fc.integer({ min: -62_135_596_800_000_000, max: Number.MAX_SAFE_INTEGER }), 200)
    for (const at of [...instants, -1, 0, 999_999]) {
      const [row] = (
        await (await lake.writer.connect()).runAndReadAll(`select epoch_us(timestamp '${isoMicros(at)}')`)
      ).getRows()
      expect(row).toEqual([BigInt(at)])
    }
  })
})
