import { stat } from 'node:fs/promises'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { keys, newStoredHome, replace } from '#test/bin/backup/fixture.ts'
import { runMain } from '#test/bin/run_main.ts'

test('status --disk has the bytes of each folder, and the current and replaced files of each source', async () => {
  const { home, lake } = await newStoredHome()
  const settings = { TAPELINE_HOME: home, TAPELINE_THREADS: '1', TAPELINE_MEMORY: '256MB' }
  await replace(lake, '0x1', 5n)
  const files = await lake.storage.list('lake')
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(home, file))).size))
  const total = sizes.reduce((sum, size) => sum + size, 0)
  const { code, out } = await runMain(['status', '--disk', '--json'], settings)
  const { disk_use } = JSON.parse(out) as {
    disk_use: { folders: Record<string, number>; sources: { bytes: number; replaced_bytes: number }[] }
  }
  expect([code, files.length]).toEqual([0, keys.length + 2])
  expect(disk_use.folders['lake']).toBe(total)
  expect(disk_use.folders['.']).toBeGreaterThan((await stat(join(home, 'accounts.db'))).size)
  expect(disk_use.sources).toMatchObject([{ source: 'venue_quotes', bytes_a_day: null }])
  const [quotes] = disk_use.sources
  // Two of the files were replaced.
  expect((quotes?.bytes ?? 0) + (quotes?.replaced_bytes ?? 0)).toBe(total)
  expect(quotes?.replaced_bytes).toBeGreaterThan(Math.min(...sizes))
  const { out: text } = await runMain(['status', '--disk'], settings)
  expect(text).toMatch(/\ndisk\n(?: {2}[\w.]+\/ +\d+\.\d{3} GB\n)+/)
  expect(text).toMatch(
    / {2}venue_quotes +0\.\d{3} GB, growth not known in the first hour, 0\.\d{3} GB of replaced files\n/,
  )
  expect((await runMain(['status'], settings)).out).not.toContain('replaced files')
})
