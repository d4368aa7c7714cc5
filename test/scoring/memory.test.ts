import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { as_of } from '#bench/scores/rows.ts'
import { fillsHome } from '#bench/scores/world.ts'
import { publish } from '#builder/publish.ts'
import { openLake } from '#lake/lake.ts'
import { loadScoring } from '#scoring/index.ts'
import { machineClock } from '#time.ts'

/** 2 million fills need 1 GB; this is the same share. */
const n_fills = 300_000
const limits = { threads: 2, memory: '256MB' }

test('the scores of many fills are built in little memory', async () => {
  const home = await mkdtemp(join(tmpdir(), 'tapeline-memory-'))
  onTestFinished(() => rm(home, { recursive: true }))
  await cp(await fillsHome(n_fills, { ...limits, memory: '1GB' }), home, { recursive: true })
  const lake = await openLake(home, { threads: 1, memory: '100MB' })
  onTestFinished(() => lake.close())
  const settings = { models: await loadScoring(), macros: [], columns: {}, asOf: as_of, ...limits, now: machineClock }
  const { tables } = await publish(lake, 'scores', settings)
  const wallets = tables.find(({ name }) => name === 'pm_wallet')
  expect(wallets?.n_rows).toBeGreaterThan(1_000)
})
