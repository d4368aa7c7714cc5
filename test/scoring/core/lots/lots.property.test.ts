import type { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import type { Model } from '#builder/model.ts'
import { zero, set, toBigInt } from '#scoring/core/lots/fold/amount.ts'
import { portion } from '#scoring/core/lots/fold/portion.ts'
import { oracleLots } from '#test/oracle/lots/ledger.ts'
import { worlds } from '#test/oracle/lots/worlds.ts'
import { roundHalfEven } from '#test/oracle/round.ts'
import { sized } from '#test/run/sized.ts'
import { loadWalletModels } from '#test/scoring/core/wallets/tables.ts'

import { openLotDuckDB, runLots, sorted } from './ledgers.ts'

let models: Model[]
let duckdb: DuckDBInstance
beforeAll(async () => {
  models = await loadWalletModels()
  duckdb = await openLotDuckDB(2)
})
afterAll(() => duckdb.closeSync())

describe('the ledger of lots is the independent one, row by row', () => {
  test('over random worlds', async () => {
    for (const world of fc.sample(worlds(), { numRuns: sized(10, 25, 120), seed: 11 })) {
      expect(await runLots(duckdb, models, world)).toEqual(sorted(oracleLots(world)))
    }
  })

  test('over a long world, past the borders of chunks', async () => {
    for (const world of fc.sample(worlds({ n_events: sized(4_500, 4_500, 9_000), isLong: true }), {
      numRuns: 1,
      seed: 12,
    })) {
      expect(world.trades.length + world.transfers.length).toBeGreaterThan(4_096)
      expect(await runLots(duckdb, models, world)).toEqual(sorted(oracleLots(world)))
    }
  })

  test('in whatever order the rows lie, and on one thread as on two', async () => {
    const single = await openLotDuckDB(1)
    for (const world of fc.sample(worlds(), { numRuns: 8, seed: 13 })) {
      const reversed = { ...world, trades: world.trades.toReversed(), transfers: world.transfers.toReversed() }
      expect(await runLots(single, models, reversed)).toEqual(await runLots(duckdb, models, world))
    }
    single.closeSync()
  })
})

describe('amounts', () => {
  const amount = fc.bigInt(0n, (1n << 256n) - 1n)

  test('keep every integer up to 2^256 - 1', () => {
    fc.assert(
      fc.property(fc.oneof(amount, fc.bigInt(0n, 1n << 104n)), (value) => {
        const register = zero()
        set(register, value)
        expect(toBigInt(register)).toBe(value)
      }),
    )
  })

  const near = fc.bigInt(1n, 40n)
  test('divide a value half to even, at the halves too', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.bigInt(-60n, 60n), fc.bigInt(-1_999_999_999_999_999n, 1_999_999_999_999_999n)),
        fc.oneof(near, amount),
        fc.oneof(near, amount),
        (value, a, b) => {
          const [part, whole] = a < b ? [a, b] : [b, a]
          fc.pre(whole > 0n)
          const [left, right] = [zero(), zero()]
          set(left, part)
          set(right, whole)
          expect(BigInt(portion(Number(value), left, right))).toBe(roundHalfEven(value * part, whole))
        },
      ),
      { numRuns: sized(3_000, 8_000, 25_000) },
    )
  })
})
