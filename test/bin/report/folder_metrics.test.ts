import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { pino } from 'pino'
import { Registry } from 'prom-client'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'

import { watchFolders } from '#bin/report/folder_metrics.ts'
import { folderSizes } from '#bin/report/folder_sizes.ts'
import { until } from '#test/run/eventually.ts'

afterEach(() => void vi.useRealTimers())

const linesOf = async (registry: Registry): Promise<string[]> =>
  (await registry.metrics()).split('\n').filter((line) => line.startsWith('tapeline_disk_bytes{'))

test('each folder of a home has its bytes; one that is gone leaves the metrics', async () => {
  const home = await mkdtemp(join(tmpdir(), 'tapeline-folders-'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  await mkdir(join(home, 'lake', 'trades'), { recursive: true })
  await writeFile(join(home, 'lake', 'trades', 'a.parquet'), 'x'.repeat(700))
  await mkdir(join(home, 'raw'))
  await writeFile(join(home, 'catalog.sqlite'), 'x'.repeat(30))
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const registry = new Registry()
  const end = watchFolders({ registry, log: pino({ level: 'silent' }) }, (signal) => folderSizes(home, signal))
  const expected = ['{folder="lake"} 700', '{folder="raw"} 0', '{folder="."} 30']
  await until(async () => (await linesOf(registry)).length === 3)
  expect(new Set(await linesOf(registry))).toEqual(new Set(expected.map((line) => `tapeline_disk_bytes${line}`)))
  await rm(join(home, 'raw'), { recursive: true })
  await vi.advanceTimersByTimeAsync(60_000)
  await until(async () => (await linesOf(registry)).length === 2)
  await end()
  await expect(folderSizes(home, AbortSignal.abort(new Error('ending')))).rejects.toThrow('ending')
})

test('a failure is logged and leaves the last bytes; a slow reading takes the place of the next ones', async () => {
  vi.useFakeTimers()
  const lines: string[] = []
  const log = pino({}, { write: (line: string) => void lines.push(line) })
  const registry = new Registry()
  const answers: ((sizes: Record<string, number> | Error) => void)[] = []
  const sizes = () =>
    new Promise<Record<string, number>>((resolve, reject) =>
      answers.push((answer) => (answer instanceof Error ? reject(answer) : resolve(answer))),
    )
  const end = watchFolders({ registry, log }, sizes)
  await vi.advanceTimersByTimeAsync(600_000)
  expect(answers).toHaveLength(1)
  answers[0]?.({ lake: 5 })
  await vi.advanceTimersByTimeAsync(60_000)
  answers[1]?.(new Error('EACCES'))
  await vi.advanceTimersByTimeAsync(1)
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('the bytes of the folders were not read')
  expect(await linesOf(registry)).toEqual(['tapeline_disk_bytes{folder="lake"} 5'])
  await end()
})
