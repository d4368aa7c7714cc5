import { pino } from 'pino'
import { Registry } from 'prom-client'
import { afterEach, expect, test, vi } from 'vitest'

import { watchDisk } from '#bin/report/disk_watch.ts'
import { diskSpace, judgeSpace } from '#storage/disk_space.ts'

afterEach(() => void vi.useRealTimers())

test('a disk that becomes full is logged once, as is its recovery; the free bytes are a metric', async () => {
  vi.useFakeTimers()
  const lines: string[] = []
  const registry = new Registry()
  const disk = { free_bytes: 1e9 }
  const log = pino({}, { write: (line: string) => void lines.push(line) })
  const end = watchDisk({ registry, log }, async () => judgeSpace(disk.free_bytes))
  await vi.advanceTimersByTimeAsync(60_000)
  expect(lines).toEqual([])
  disk.free_bytes = 3_000_000
  await vi.advanceTimersByTimeAsync(60_000)
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('disk: 2 MB free; expected at least 128 MB')
  expect(await registry.metrics()).toContain('tapeline_disk_free_bytes 3000000')
  disk.free_bytes = 1e9
  await vi.advanceTimersByTimeAsync(60_000)
  expect(lines).toHaveLength(2)
  expect(lines[1]).toContain('enough free space again')
  end()
  disk.free_bytes = 0
  await vi.advanceTimersByTimeAsync(60_000)
  expect(lines).toHaveLength(2)
})

test('the free space of a folder is that of its file system', async () => {
  const { free_bytes, fault } = await diskSpace(import.meta.dirname)
  expect(free_bytes).toBeGreaterThan(0)
  expect(fault).toBe(judgeSpace(free_bytes).fault)
  await expect(diskSpace('/no/such/folder')).rejects.toThrow('ENOENT')
})
