import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { buildMarts } from '#builder/build.ts'
import { isMart, type Model } from '#builder/model.ts'
import { loadScoring } from '#scoring/index.ts'
import { createWorld } from '#sim/markets/world.ts'
import { serveWorld } from '#sim/server/server.ts'
import { sized } from '#test/run/sized.ts'

import { ingestAll, openTestPipeline } from './pipeline.ts'

const hour = 3_600_000_000
const world = createWorld({ seed: 11, scale: sized(0.02, 0.02, 0.05) })

test('a pulse has the rows of a build of everything, at any instant, and touches nothing that is kept', async () => {
  const home = await mkdtemp(join(tmpdir(), 'tapeline-pulse-'))
  const upstream = await serveWorld({ world, clock: () => world.now })
  const house = await openTestPipeline(home, upstream, () => world.now)
  const { lake } = house
  onTestFinished(async () => {
    await lake.close()
    await upstream.close()
    await rm(home, { recursive: true, force: true })
  })
  await ingestAll(house, world.now)
  const models = await loadScoring()
  const whole = models.map((model): Model => (isMart(model) ? { ...model, publication: 'scores' } : model))
  const settings = { threads: 2, memory: '2GB', now: () => world.now }
  const counts = new Set<number>()
  for (const ago of sized([0, 30 * 24 * hour], [0, 30 * 24 * hour], [0, 7 * hour, 30 * 24 * hour])) {
    const asOf = world.now - ago
    const pulse = await buildMarts(lake, 'pulse', { ...settings, models, asOf })
    expect(pulse.tables.map(({ name }) => name)).toEqual(['feed', 'pm_markets', 'pm_unpriced'])
    expect(await lake.storage.list('derived')).toEqual([])
    const full = await buildMarts(lake, 'scores', { ...settings, models: whole, asOf })
    for (const { name, n_rows, content_hash } of pulse.tables) {
      counts.add(n_rows)
      expect(full.tables.find((table) => table.name === name)).toMatchObject({ n_rows, content_hash })
    }
    for (const path of await lake.storage.list('derived')) await lake.storage.delete(path)
  }
  expect(counts.size).toBeGreaterThan(1)

  // Histories of accounts are the largest part of a lake, and no publication of the pulse opens one.
  const before = await buildMarts(lake, 'pulse', { ...settings, models, asOf: world.now })
  const histories = await lake.storage.list('lake/activity')
  expect(histories.length).toBeGreaterThan(10)
  for (const path of histories) await lake.storage.delete(path)
  const without = await buildMarts(lake, 'pulse', { ...settings, models, asOf: world.now })
  expect(without.tables[0]?.content_hash).toBe(before.tables[0]?.content_hash)
})
