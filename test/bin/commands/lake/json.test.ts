import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { expect, it } from 'vitest'

import { maintain } from '#bin/commands/lake/maintain.ts'
import { repair } from '#bin/commands/lake/repair.ts'
import { reparse } from '#bin/commands/lake/reparse.ts'
import { verify } from '#bin/commands/lake/verify.ts'
import { parseConfig } from '#config.ts'
import { runCommand } from '#test/bin/command.ts'
import { lifeOf, newHome, newLake, noon, quote, storeRows } from '#test/lake/fixture.ts'

it('the commands of a lake write their results as JSON', async () => {
  const home = await newHome()
  const lake = await newLake({ home })
  for (const key of ['0xa', '0xb']) await storeRows(lake, lifeOf(key), { quotes: [quote(key, noon)] })
  const [first = ''] = await lake.storage.list('lake')
  await lake.close()
  const config = parseConfig({ TAPELINE_HOME: home, TAPELINE_THREADS: '1', TAPELINE_MEMORY: '500MB' })
  const run = async (...[command, ...args]: [Parameters<typeof runCommand>[0], ...string[]]) => {
    const { code, output } = await runCommand(command, [...args, '--json'], config)
    return { code, ...(JSON.parse(output) as object) }
  }

  expect(await run(verify)).toEqual({ code: 0, n_files: 2, faults: [] })
  const none = { files_compacted: 0, files_written: 0, files_deleted: 0 }
  expect(await run(maintain)).toEqual({ code: 0, ...none })
  expect(await run(maintain, '--dry-run')).toEqual({ code: 0, ...none, merges: [] })
  expect(await run(reparse, 'polymarket_trades')).toEqual({
    code: 0,
    source: 'polymarket_trades',
    units: 0,
    rows: 0,
    quarantined: 0,
    failed: [],
  })
  expect(await run(repair)).toEqual({ code: 0, rebuilt: null, damaged: [], n_missing: 0 })

  const file = join(home, first)
  const bytes = await readFile(file)
  await writeFile(file, bytes.fill(0, 40, 48))
  expect(await run(verify)).toMatchObject({ code: 1, n_files: 2, faults: [{ path: first, problem: 'changed' }] })
  const damaged = [{ path: first, problem: 'changed' }]
  expect(await run(repair)).toMatchObject({ code: 0, rebuilt: null, damaged, n_missing: 1 })
})
