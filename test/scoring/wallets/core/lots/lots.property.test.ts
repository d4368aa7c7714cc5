import type { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import type { Model } from '#models/model.ts'
import { oracleLots } from '#test/oracle/lots/ledger.ts'
import { worlds } from '#test/oracle/lots/worlds.ts'
import { sized } from '#test/run/sized.ts'
import { loadWalletModels } from '#test/scoring/wallets/tables.ts'

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
    for (const world of fc.sample(worlds(), { numRuns: sized(60, 400), seed: 11 })) {
      expect(await runLots(duckdb, models, world)).toEqual(sorted(oracleLots(world)))
    }
  })
})
