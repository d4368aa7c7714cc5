import { appendFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { describePast, readRuns, recordRun } from '#bin/report/run_history.ts'
import { newHome } from '#test/lake/fixture.ts'

const noon = Date.UTC(2026, 10, 20, 12) * 1000

/** A clock that moves by 90 seconds at each look. */
const clockOf = (): (() => number) => {
  let now = noon - 90_000_000
  return () => (now += 90_000_000)
}

test('a run is recorded with its figures, and a failed one with its reason, which is thrown', async () => {
  const [home, clock] = [await newHome(), clockOf()]
  expect(await readRuns(home)).toEqual([])
  const figures = { units: 1_200, failed: 2, quarantined: 0, rows: 30_000 }
  const result = await recordRun(
    { home, clock, command: 'backfill', source: 'a_trades' },
    async () => figures,
    (own) => own,
  )
  expect(result).toBe(figures)
  const fail = recordRun(
    { home, clock, command: 'score' },
    () => Promise.reject(new Error('no space')),
    () => ({}),
  )
  await expect(fail).rejects.toThrow('no space')
  const runs = await readRuns(home)
  expect(runs).toEqual([
    {
      command: 'backfill',
      source: 'a_trades',
      began_at: '2026-11-20T12:00:00.000Z',
      ended_at: '2026-11-20T12:01:30.000Z',
      ...figures,
      error: null,
    },
    {
      command: 'score',
      source: null,
      began_at: '2026-11-20T12:03:00.000Z',
      ended_at: '2026-11-20T12:04:30.000Z',
      units: 0,
      failed: 0,
      quarantined: 0,
      rows: 0,
      error: 'no space',
    },
  ])
  expect(runs.map(describePast)).toEqual([
    '2026-11-20T12:00:00.000Z  backfill a_trades: 1,200 units, 30,000 rows, 2 units failed, 90 s',
    '2026-11-20T12:03:00.000Z  score: failed: no space, 90 s',
  ])
})

test('a line that was cut off is left out, and old runs are dropped', async () => {
  const [home, clock] = [await newHome(), clockOf()]
  const run = (n: number) =>
    recordRun(
      { home, clock, command: `n${n}` },
      async () => n,
      () => ({}),
    )
  await run(0)
  const file = join(home, 'history.ndjson')
  const line = await readFile(file, 'utf8')
  await appendFile(file, `${line.slice(0, 40)}\n${line.repeat(4_000)}`)
  await run(1)
  const runs = await readRuns(home)
  expect([runs.length, runs.at(-1)?.command]).toEqual([500, 'n1'])
  expect((await readFile(file, 'utf8')).split('\n').length).toBe(501)
})
