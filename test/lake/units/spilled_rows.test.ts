import { createHash } from 'node:crypto'

import { describe, expect, test } from 'vitest'
import { z } from 'zod'

import { carryOver } from '#ingest/carry_over.ts'
import { check } from '#ingest/check.ts'
import type { Lake } from '#lake/lake.ts'
import { isSpilled, rowCount, type UnitRows } from '#lake/units/column_batch.ts'
import { keepRows } from '#lake/units/spilled_rows.ts'
import { lifeOf, newLake, noon, quote, storeRows } from '#test/lake/fixture.ts'
import { parquetFiles } from '#test/pipeline/lakefiles.ts'

const unit = lifeOf('0xa')
const n_rows = 45_000
/** Rows of changing markets and instants, not in the order of their key. */
const quotes = Array.from({ length: n_rows }, (_, n) =>
  quote(`m${(n * 7) % 700}`, noon + n, { bid: BigInt(n), last: n % 3 === 0 ? null : 500_000n }),
)

/** The quotes in parts of a thousand; the last part is the result. */
async function inParts(lake: Lake, rows: readonly Record<string, unknown>[] = quotes) {
  const kept = keepRows(lake)
  for (let start = 0; start < rows.length - 1_000; start += 1_000)
    await kept.keep('quotes', rows.slice(start, start + 1_000))
  return { kept, rows: await kept.rowsOf('quotes', rows.slice(-1_000)) }
}

const reading = (rows: UnitRows, from: number) => ({
  rows: { quotes: rows },
  rejected: [],
  precedence: 1,
  state: 'unverified' as const,
  reason: 'cut off',
  from,
  to: noon + n_rows,
  checkedAt: noon,
})

describe('rows that are given in parts', () => {
  test('give the bytes of the same rows at once', async () => {
    const [atOnce, parted] = [await newLake(), await newLake()]
    await storeRows(atOnce, unit, { quotes })
    const { kept, rows } = await inParts(parted)
    expect([isSpilled(rows), (await storeRows(parted, unit, { quotes: rows })).n_rows]).toEqual([true, n_rows])
    await kept.close()
    expect(await parquetFiles(parted.home)).toEqual(await parquetFiles(atOnce.home))
  })

  test('are written where a sort of them leaves little of the memory, with the bytes of the same rows at once', async () => {
    const wide = Array.from({ length: 123_000 }, (_, n) => {
      const hash = createHash('sha256').update(String(n)).digest('hex')
      return quote(`m${hash}`, noon + n, { venue: hash.repeat(4) })
    })
    const [atOnce, narrow] = [await newLake(), await newLake({ memory: '110MB' })]
    await storeRows(atOnce, unit, { quotes: wide })
    const { kept, rows } = await inParts(narrow, wide)
    await storeRows(narrow, unit, { quotes: rows })
    await kept.close()
    expect(await parquetFiles(narrow.home)).toEqual(await parquetFiles(atOnce.home))
  })

  test('stay in memory if they are few', async () => {
    const kept = keepRows(await newLake())
    await kept.keep('quotes', quotes.slice(0, 10))
    expect(await kept.rowsOf('quotes', quotes.slice(10, 12))).toEqual(quotes.slice(0, 12))
    expect(await kept.rowsOf('markets', [])).toEqual([])
    await kept.close()
  })

  test('are refused if one is there twice, in two parts', async () => {
    const lake = await newLake()
    const { kept, rows } = await inParts(lake, [...quotes.slice(0, 100), ...quotes])
    await expect(storeRows(lake, unit, { quotes: rows })).rejects.toThrow('two rows of quotes have the same key')
    await kept.close()
  })

  test('are completed by older stored rows, and never replace more rows than they are', async () => {
    const lake = await newLake()
    await storeRows(lake, unit, { quotes: [quote('m7', noon - 5), quote('m7', noon + 1)] }, { to: noon + 2 })
    const { kept, rows } = await inParts(lake)
    const carried = await carryOver(lake, { ...unit, from: 0 }, reading(rows, noon))
    expect(carried.reason).toBe('cut off; 1 older row carried over from an earlier reading')
    const tools = { lake, clock: () => noon, at: noon, shown: { at: null } }
    expect(await check(unit, carried, tools)).toBe(carried)
    await storeRows(lake, unit, carried.rows)
    await kept.close()
    const [first] = await lake.read(({ query }) =>
      query('select count(*)::int as n, min(epoch_us(ts))::double as at from lake.quotes', countShape),
    )
    expect(first).toEqual({ n: n_rows + 1, at: noon - 5 })

    const late = await inParts(
      lake,
      quotes.map((row) => ({ ...row, ts: row.ts + 1e9 })),
    )
    await expect(check(unit, reading(late.rows, noon), tools)).rejects.toThrow('the stored rows stay: cut off')
    await late.kept.close()
  })

  test('are changed some at a time, those of a market together, whether they are few or many', async () => {
    const lake = await newLake()
    for (const n of [10, n_rows]) {
      const kept = keepRows(lake)
      await kept.keep('quotes', quotes.slice(0, n))
      const parts: string[][] = []
      await kept.change('quotes', (rows) => {
        parts.push([...new Set(rows.map(({ market_id }) => String(market_id)))])
        return rows.filter(({ bid }) => bid !== 3n).map((row) => ({ ...row, ask: row['bid'] }))
      })
      const changed = await kept.rowsOf('quotes', [])
      const home = await newLake()
      expect([isSpilled(changed), rowCount(changed)]).toEqual([n === n_rows, n - 1])
      await storeRows(home, unit, { quotes: changed })
      await kept.close()
      expect(parts.length).toBe(n === n_rows ? 3 : 1)
      expect(parts.flat().toSorted()).toEqual([...new Set(parts.flat())].toSorted())
      const wanted = quotes.slice(0, n).filter(({ bid }) => bid !== 3n)
      const atOnce = await newLake()
      await storeRows(atOnce, unit, { quotes: wanted.map((row) => ({ ...row, ask: row.bid })) })
      expect(await parquetFiles(home.home)).toEqual(await parquetFiles(atOnce.home))
    }
  })

  test('of resolutions, most of which name no transaction, are changed some at a time too', async () => {
    const kept = keepRows(await newLake())
    const resolutions = quotes.map(({ ts }, n) => ({
      market_id: `m${n}`,
      ts,
      venue: 'v',
      payouts: [1n],
      status: 'resolved',
      tx: null,
    }))
    await kept.keep('resolutions', resolutions)
    const parts: number[] = []
    await kept.change('resolutions', (rows) => {
      parts.push(rows.length)
      return []
    })
    await kept.close()
    expect(Math.max(...parts)).toBeLessThan(n_rows / 2 + 2_048)
    expect(parts.reduce((sum, n) => sum + n, 0)).toBe(n_rows)
  })

  test('of fills without transactions are changed some at a time too, those of an instant together', async () => {
    const kept = keepRows(await newLake())
    const fills = Array.from({ length: n_rows }, (_, n) => ({
      venue: 'v',
      token_id: `t${n % 7}`,
      ts: noon + ((n * 31) % 15_000),
      tx: n % 100 === 0 ? '0xa' : '',
      trader: `w${n}`,
      side: 'buy',
      price: 1n,
      size: BigInt(n),
      seq: 0,
      market_id: null,
      role: null,
      cash_usd: null,
      fee_usd: null,
    }))
    await kept.keep('fills', fills)
    const parts: { n: number; places: unknown[] }[] = []
    await kept.change('fills', (rows) => {
      parts.push({ n: rows.length, places: [...new Set(rows.map(({ tx, ts }) => (tx === '' ? ts : tx)))] })
      return []
    })
    await kept.close()
    expect(Math.max(...parts.map(({ n }) => n))).toBeLessThan(n_rows / 2 + 2_048)
    expect(parts.reduce((sum, { n }) => sum + n, 0)).toBe(n_rows)
    const places = parts.flatMap((part) => part.places)
    expect(new Set(places).size).toBe(places.length)
  })

  test('are dropped by a change to nothing', async () => {
    const kept = keepRows(await newLake())
    await kept.keep('quotes', quotes)
    await kept.change('quotes', () => [])
    expect(await kept.rowsOf('quotes', quotes.slice(0, 2))).toEqual(quotes.slice(0, 2))
    await kept.close()
  })

  test('are taken no more once their unit has ended', async () => {
    const kept = keepRows(await newLake())
    await kept.close()
    await expect(kept.keep('quotes', quotes)).rejects.toThrow('it has ended; expected an open unit')
  })
})

const countShape = z.object({ n: z.number(), at: z.number() })
