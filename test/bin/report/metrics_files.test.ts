import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Counter, Gauge } from 'prom-client'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'

import { openMetricsFile, readMetricsFiles } from '#bin/report/metrics_files.ts'
import { until } from '#test/run/eventually.ts'

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'tapeline-metrics-'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
})

const files = (): Promise<string[]> => readdir(join(home, 'metrics')).catch(() => [])

const open = async (command: string, options?: { isOnly?: boolean }) => {
  const opened = await openMetricsFile(home, command, options)
  onTestFinished(opened.close)
  return opened
}

test('the metrics of several processes are one valid text: counters add up, and states are not doubled', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  for (const [command, n] of [
    ['follow', 5],
    ['worker', 7],
  ] as const) {
    const { registry } = await open(command)
    new Counter({ name: 'tapeline_upstream_requests_total', help: 'x', registers: [registry] }).inc(3)
    new Gauge({ name: 'tapeline_source_rows', help: 'x', registers: [registry], aggregator: 'max' }).set(n)
  }
  await vi.advanceTimersByTimeAsync(5_000)
  await until(async () => (await readMetricsFiles(home)).includes('tapeline_upstream_requests_total 6'))
  const text = await readMetricsFiles(home)
  expect(text).toContain('tapeline_source_rows 7')
  const types = text.split('\n').filter((line) => line.startsWith('# TYPE'))
  expect(new Set(types).size).toBe(types.length)
  const memory = text.split('\n').filter((line) => line.startsWith('tapeline_process_memory_bytes{'))
  const processes = memory.map((line) => /process="(\w+)"/.exec(line)?.[1])
  expect(new Set(processes)).toEqual(new Set(['follow', 'serve', 'worker']))
  expect(processes).toHaveLength(3)
  for (const line of memory) expect(Number(line.split(' ')[1])).toBeGreaterThan(1e7)
})

test('a process that ended leaves nothing; a killed one leaves when it was last alive, and no other metric', async () => {
  const { close } = await openMetricsFile(home, 'follow')
  await until(async () => (await files()).includes('follow.json'))
  await close()
  expect(await files()).toEqual([])
  const killed = await open('publish')
  await until(async () => (await files()).includes('publish.json'))
  new Gauge({ name: 'tapeline_build_seconds', help: 'x', registers: [killed.registry] }).set(9)
  const left = join(home, 'metrics', 'follow.json')
  await writeFile(
    left,
    '[{"name":"tapeline_x","help":"x","type":"gauge","aggregator":"max","values":[{"value":1,"labels":{}}]}]',
  )
  await utimes(left, 1_700_000_000, 1_700_000_000)
  const text = await readMetricsFiles(home)
  expect(text).toContain('tapeline_process_seen_seconds{process="follow"} 1700000000')
  expect(text).not.toContain('tapeline_x')
})

test('each of several workers has a file, and removes those of killed ones', async () => {
  const stale = join(home, 'metrics', 'worker-elsewhere-7.json')
  await open('follow')
  await until(async () => (await files()).includes('follow.json'))
  await writeFile(stale, '[]')
  await utimes(stale, 1_700_000_000, 1_700_000_000)
  await open('worker', { isOnly: false })
  await until(async () => (await files()).length === 2 && !(await files()).includes('worker-elsewhere-7.json'))
  expect((await files()).toSorted()).toEqual(['follow.json', expect.stringMatching(/^worker-.+-\d+\.json$/)])
})
