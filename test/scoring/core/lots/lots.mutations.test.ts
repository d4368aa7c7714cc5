import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { isDeepStrictEqual } from 'node:util'

import type { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import type { FoldModel, Model } from '#builder/model.ts'
import { oracleLots } from '#test/oracle/lots/ledger.ts'
import { worlds } from '#test/oracle/lots/worlds.ts'
import { loadWalletModels } from '#test/scoring/core/wallets/tables.ts'

import { bugs, type Bug } from './bugs.ts'
import { openLotDuckDB, runLots, sorted } from './ledgers.ts'

/** Worlds in which each bug is to be seen. */
const cases = fc
  .sample(worlds({ n_events: 120, isLong: true }), { numRuns: 4, seed: 31 })
  .map((world) => ({ world, expected: sorted(oracleLots(world)) }))

let duckdb: DuckDBInstance
const folders: string[] = []
beforeAll(async () => {
  duckdb = await openLotDuckDB(1)
})
afterAll(async () => {
  duckdb.closeSync()
  for (const folder of folders) await rm(folder, { recursive: true })
})

const lotsFolder = fileURLToPath(new URL('../../../../scoring/core/lots/', import.meta.url))

/** The models with a copy of the ledger that has a bug. The copy finds its packages where the real one does. */
async function planted({ file, from, to }: Bug): Promise<Model[]> {
  const folder = await mkdtemp(join(tmpdir(), 'tapeline-lots-'))
  folders.push(folder)
  await cp(lotsFolder, folder, { recursive: true })
  await symlink(fileURLToPath(new URL('../../../../node_modules', import.meta.url)), join(folder, 'node_modules'))
  const path = join(folder, file)
  const text = await readFile(path, 'utf8')
  if (!text.includes(from)) throw new Error(`${file} does not hold ${JSON.stringify(from)}`)
  await writeFile(path, text.replaceAll(from, to))
  const { lotLedger } = (await import(pathToFileURL(join(folder, 'lot_ledger.ts')).href)) as { lotLedger: FoldModel }
  return loadWalletModels({ folder, fold: lotLedger })
}

async function isFound(models: readonly Model[]): Promise<boolean> {
  for (const { world, expected } of cases) {
    if (!isDeepStrictEqual(await runLots(duckdb, models, world), expected)) return true
  }
  return false
}

describe('planted bugs', () => {
  test('are none in an unchanged copy', async () => {
    const same = 'journal.flush()'
    expect(await isFound(await planted({ what: 'nothing', file: 'lot_ledger.ts', from: same, to: same }))).toBe(false)
  })

  test.each(bugs)('$what', async (bug) => {
    const models = await planted(bug)
    // Some make numbers that no column holds, which stops the build.
    const isStopped = (error: unknown): boolean => String(error).includes('Conversion Error')
    expect(await isFound(models).catch(isStopped)).toBe(true)
  })
})
