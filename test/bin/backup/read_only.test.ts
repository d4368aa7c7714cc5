import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { withReadableHome } from '#bin/report/read_only_home.ts'
import { openService } from '#bin/wiring/service.ts'
import { parseConfig } from '#config.ts'
import { openLake } from '#lake/lake.ts'
import { verifyLake } from '#lake/verify.ts'
import { runMain } from '#test/bin/run_main.ts'
import { newHome } from '#test/lake/fixture.ts'

import { newStoredHome } from './fixture.ts'

test('a backup that cannot be written is verified and served, with its keys', async () => {
  const [{ home, apiKey }, folder] = [await newStoredHome(), join(await newHome(), 'b')]
  await runMain(['backup', folder], { TAPELINE_HOME: home })
  const config = parseConfig({ TAPELINE_HOME: folder, TAPELINE_PORT: '0', TAPELINE_MEMORY: '256MB' })
  await withReadableHome(
    config,
    async (readable) => {
      expect(readable.home).not.toBe(folder)
      const lake = await openLake(readable.home, { threads: 1, memory: '256MB' })
      onTestFinished(lake.close)
      expect(await verifyLake(lake)).toEqual({ n_files: 6, faults: [] })
      const service = await openService(readable, true)
      onTestFinished(service.close)
      const statusOf = async (key: string): Promise<number> =>
        (await fetch(`${service.url}/v1/feed`, { headers: { authorization: `Bearer ${key}` } })).status
      expect(await statusOf('another')).toBe(401)
      expect(await statusOf(apiKey)).not.toBe(401)
    },
    async () => false,
  )
})
