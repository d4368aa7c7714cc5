import type { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { divideHalfEven, shareOut } from '#scoring/core/ledger/fold/round.ts'
import { sized } from '#test/run/sized.ts'

import { differing, joinAlike, sampleHistories } from './ledger_search.ts'
import { loadLedger, openLedgerDuckDB, runLedgers, type LedgerModels } from './ledgers.ts'

const instances = new Map<number, DuckDBInstance>()
let models: LedgerModels
beforeAll(async () => {
  models = await loadLedger()
  for (const threads of [1, 2]) instances.set(threads, await openLedgerDuckDB(threads))
})
afterAll(() => instances.forEach((instance) => instance.closeSync()))

const on = (threads: number): DuckDBInstance => {
  const instance = instances.get(threads)
  if (instance === undefined) throw new Error(`no DuckDB with ${threads} threads`)
  return instance
}

describe('the ledger is the independent one, row by row', () => {
  test.each([
    [1, 101],
    [2, 202],
  ])('over random histories, with %i threads', async (threads, seed) => {
    expect(await differing(on(threads), models, sampleHistories({ n: sized(300, 600, 1_500), seed }))).toEqual([])
  })

  test('over long histories of few traders, past the borders of chunks', async () => {
    const histories = joinAlike(sampleHistories({ n: sized(2_000, 2_000, 3_000), seed: 303 }))
    expect(Math.max(...histories.map(({ events }) => events.length))).toBeGreaterThan(4 * 2048)
    expect(await differing(on(2), models, histories)).toEqual([])
  })

  test('in whatever order the rows lie', async () => {
    const histories = sampleHistories({ n: 200, seed: 404 })
    const reversed = histories.map(({ context, events }) => ({ context, events: [...events].reverse() }))
    expect(await runLedgers(on(2), models, reversed)).toEqual(await runLedgers(on(1), models, histories))
  })
})

/** An exact fraction rounded by its definition: the nearest whole number, of two that are as near the even one. */
function nearestEven(numerator: bigint, denominator: bigint): bigint {
  const below = numerator / denominator - (numerator % denominator < 0n ? 1n : 0n)
  const twiceOver = 2n * (numerator - below * denominator)
  if (twiceOver === denominator) return below % 2n === 0n ? below : below + 1n
  return twiceOver > denominator ? below + 1n : below
}

describe('rounding', () => {
  const amount = fc.oneof(fc.bigInt(-50n, 50n), fc.bigInt(-(10n ** 40n), 10n ** 40n))

  test('of a quotient is half to even', () => {
    fc.assert(
      fc.property(amount, fc.oneof(fc.bigInt(1n, 20n), fc.bigInt(1n, 10n ** 20n)), (numerator, denominator) => {
        expect(divideHalfEven(numerator, denominator)).toBe(nearestEven(numerator, denominator))
      }),
    )
    expect([-5n, -3n, -1n, 1n, 3n, 5n].map((halves) => divideHalfEven(halves, 2n))).toEqual([-2n, -2n, 0n, 0n, 2n, 2n])
  })

  test('of equal parts loses nothing, and the first have one more', () => {
    fc.assert(
      fc.property(amount, fc.integer({ min: 1, max: 300 }), (whole, n) => {
        const parts: bigint[] = []
        shareOut(whole, Array.from({ length: n }), (_, part) => parts.push(part))
        expect(parts).toHaveLength(n)
        expect(parts.reduce((sum, part) => sum + part, 0n)).toBe(whole)
        expect((parts[0] ?? 0n) - (parts[n - 1] ?? 0n)).toBeLessThanOrEqual(1n)
        expect(parts).toEqual([...parts].sort((a, b) => (a < b ? 1 : a > b ? -1 : 0)))
      }),
    )
  })
})
