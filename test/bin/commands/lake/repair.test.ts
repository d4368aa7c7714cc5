import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { repair } from '#bin/commands/lake/repair.ts'
import { parseConfig } from '#config.ts'
import { createWorld } from '#sim/markets/world.ts'
import { serveWorld } from '#sim/server/server.ts'
import { openMarts } from '#snapshots/marts.ts'
import { runCommand } from '#test/bin/command.ts'
import { newHome } from '#test/lake/fixture.ts'
import { removeCatalog } from '#test/lake/repair/fixture.ts'
import { parquetFiles } from '#test/pipeline/lakefiles.ts'
import { hashesOf, ingestAll, openTestPipeline } from '#test/pipeline/pipeline.ts'
import { machineClock } from '#time.ts'

test('a lake whose catalog and files are lost in the middle is served all the time, repaired, and read to the same end', async () => {
  const world = createWorld({ seed: 12, scale: 0.02 })
  const upstream = await serveWorld({ world, clock: () => world.now })
  onTestFinished(upstream.close)
  const [home, whole] = [await newHome(), await newHome()]
  const open = (folder: string) => openTestPipeline(folder, upstream, () => world.now)
  const config = parseConfig({ TAPELINE_HOME: home })

  const expected = await open(whole)
  await ingestAll(expected, world.now)
  const hashes = hashesOf(await expected.activities.publishAll({ asOf: world.now }))
  await expected.lake.close()

  const first = await open(home)
  await ingestAll(first, world.now)
  await first.activities.publishAll({ asOf: world.now })
  const marts = await openMarts({ dir: join(home, 'marts'), now: machineClock })
  onTestFinished(marts.close)
  const isServed = async () => {
    await marts.refresh()
    expect(marts.fault()).toBeNull()
    return marts.current('scores')?.query('select count(*) as n from marts.pm_traders')
  }
  const served = await isServed()

  // The catalog goes while the pipeline runs.
  await removeCatalog(home)
  expect(await isServed()).toEqual(served)
  await expect(ingestAll(first, world.now)).rejects.toThrow(/removed or replaced/)
  expect(await isServed()).toEqual(served)
  await first.lake.close()
  await expect(open(home)).rejects.toThrow('or `tapeline repair`')
  expect(await runCommand(repair, [], config)).toMatchObject({
    code: 0,
    output: expect.stringMatching(/^catalog: rebuilt from [\d,]+ files, [\d,]+ units\n0 damaged files, 0 units/),
  })
  const second = await open(home)
  expect(hashesOf(await second.activities.publishAll({ asOf: world.now }))).toEqual(hashes)
  expect(await isServed()).toEqual(served)

  // One data file is bent and one is missing; both come back with their units.
  const paths = (await second.lake.storage.list('lake/fills')).filter((path) => path.includes('polymarket_trades'))
  const [bent = '', missing = ''] = paths
  const file = second.lake.local.locate(bent)
  const bytes = await readFile(file)
  await writeFile(file, bytes.fill(0, bytes.length >> 1, (bytes.length >> 1) + 8))
  await second.lake.storage.delete(missing)
  const { output } = await runCommand(repair, [], config)
  expect(output).toContain('catalog: whole\n')
  expect(output).toContain(`${bent}: changed; set aside\n`)
  expect(output).toContain(`${missing}: missing; set aside\n`)
  expect(output).toContain('2 damaged files, 2 units to read again with `tapeline backfill`\n')
  await ingestAll(second, world.now)
  expect(await parquetFiles(home)).toEqual(await parquetFiles(whole))
  expect(hashesOf(await second.activities.publishAll({ asOf: world.now }))).toEqual(hashes)
  await second.lake.close()
})
