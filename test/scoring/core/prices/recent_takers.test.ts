import { DuckDBDataChunk, INTEGER, BIGINT } from '@duckdb/node-api'
import fc from 'fast-check'
import { expect, test } from 'vitest'

import { recentTakers } from '#scoring/core/prices/recent_takers.ts'

type Print = { market: number; ts: bigint; trader: number }
type Instant = { market: number; ts: bigint; third: bigint | null; fourth: bigint | null }

/** The fold over prints in the order given, in chunks of so many rows. */
async function fold(prints: readonly Print[], rows: number): Promise<Instant[]> {
  const chunks = Array.from({ length: Math.ceil(prints.length / rows) }, (_, i) => {
    const part = prints.slice(i * rows, (i + 1) * rows)
    const chunk = DuckDBDataChunk.create([INTEGER, INTEGER, BIGINT, INTEGER], part.length)
    const columns = [
      part.map(({ market }) => market),
      part.map(() => 0),
      part.map(({ ts }) => ts),
      part.map(({ trader }) => trader),
    ]
    for (const [index, values] of columns.entries()) chunk.setColumnValues(index, values)
    return chunk
  })
  const instants: Instant[] = []
  await recentTakers.fold(
    (async function* () {
      yield* chunks
    })(),
    (_, [markets = [], , ts = [], third = [], fourth = []]) => {
      for (const [i, market] of markets.entries())
        instants.push({
          market: market as number,
          ts: ts[i] as bigint,
          third: third[i] as bigint | null,
          fourth: fourth[i] as bigint | null,
        })
    },
  )
  return instants
}

const prints = fc
  .array(
    fc.record({
      market: fc.nat(2),
      ts: fc.bigInt(0n, 30n),
      trader: fc.integer({ min: -1, max: 5 }),
    }),
    { maxLength: 60 },
  )
  .map((list) => list.toSorted((a, b) => a.market - b.market || Number(a.ts - b.ts) || a.trader - b.trader))

test('a period has as many takers as its end says', async () => {
  await fc.assert(
    fc.asyncProperty(prints, fc.integer({ min: 1, max: 9 }), async (list, rows) => {
      for (const { market, ts, third, fourth } of await fold(list, rows)) {
        for (let from = 0n; from <= ts; from++) {
          const inside = list.filter((each) => each.market === market && each.ts >= from && each.ts <= ts)
          const n = new Set(inside.map(({ trader }) => trader)).size
          expect([third !== null && from <= third, fourth !== null && from <= fourth]).toEqual([n >= 3, n >= 4])
        }
      }
    }),
    { numRuns: 100 },
  )
})

test('every instant of a tape has a row, once', async () => {
  await fc.assert(
    fc.asyncProperty(prints, async (list) => {
      const found = (await fold(list, 7)).map(({ market, ts }) => `${market} ${ts}`)
      expect(found).toEqual([...new Set(list.map(({ market, ts }) => `${market} ${ts}`))])
    }),
    { numRuns: 50 },
  )
})
