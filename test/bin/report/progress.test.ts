import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

import type { Activities, Tally } from '#activities/index.ts'
import { count, reportBackfill, type Output } from '#bin/report/progress.ts'
import { startWorkflow } from '#engine'
import type { Unit } from '#lake/units/unit.ts'
import { backfill, type progress, type Progress } from '#workflows/backfill.ts'

const unit = (n: number): Unit => ({
  source: 'venue_trades',
  kind: 'history',
  part: 'venue',
  key: String(n),
  from: 0,
  to: null,
  params: [],
})
type Pipeline = {
  activities: Pick<Activities, 'instant' | 'plan' | 'pull'>
  counts: { requests: number; fault: string | null }
}

const request = { source: 'venue_trades', from: 0, to: 1, keys: [] }

/** A house in which a batch of 25 units takes a minute; every other one has faults. */
function slowHouse(n: number, faults: Partial<Tally> = {}): Pipeline {
  const units = Array.from({ length: n }, (_, i) => unit(i))
  const counts = { requests: 0, bytes: 0, retries: 0, throttled: 0, fault: null }
  const activities: Pick<Activities, 'instant' | 'plan' | 'pull'> = {
    instant: async () => 0,
    plan: async ({ after }) => ({ units: after === '' ? units : [], last: 'z', due: after === '' ? n : 0 }),
    pull: async ({ units: batch }) => {
      await new Promise((resolve) => setTimeout(resolve, 60_000))
      counts.requests += batch.length * 2
      const clean = { units: batch.length, rows: 30_000, quarantined: 0, bytes: 1, failed: 0, failures: [] }
      return { ...clean, ...faults }
    },
  }
  return { activities, counts }
}

/** Runs a backfill in a house and reports its progress. */
function runBackfill({ activities, counts }: Pipeline, output: Output): Promise<Progress> {
  const handle = startWorkflow(backfill, { args: [request], activities })
  const run = { result: () => handle.result, query: async (asked: typeof progress) => handle.query(asked) }
  return reportBackfill(run as Parameters<typeof reportBackfill>[0], {
    requests: () => counts.requests,
    fault: () => counts.fault,
    output,
  })
}

async function reported(isTerminal: boolean, pipeline: Pipeline, minutes: number): Promise<string[]> {
  const texts: string[] = []
  const done = runBackfill(pipeline, { isTerminal, write: (text) => texts.push(text) })
  await vi.advanceTimersByTimeAsync(minutes * 60_000 + 1)
  await done
  return texts
}

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

describe('the progress of a backfill', () => {
  test('is reported in a pipe as plain lines now and then, and at the end', async () => {
    const lines = await reported(false, slowHouse(100), 2)
    for (const line of lines) {
      expect(line).toMatch(/^venue_trades: [^\n]+\n$/)
      expect(line).not.toContain('\r')
    }
    // Two batches at a time: four take two minutes. A line comes every five seconds, and one at the end.
    expect(lines).toHaveLength(25)
    expect(lines[0]).toBe('venue_trades: 0 of 100 units, 0 rows, 0 rows/s, 0 requests\n')
    // After 65 seconds half of it is done: 60,000 rows.
    expect(lines[12]).toBe('venue_trades: 50 of 100 units, 60,000 rows, 923 rows/s, 100 requests, about 65 s left\n')
    expect(lines.at(-1)).toBe('venue_trades: 100 of 100 units, 120,000 rows, 1,000 rows/s, 200 requests\n')
  })

  test('is one living line on a terminal, which ends as a plain one', async () => {
    const texts = await reported(true, slowHouse(25), 1)
    expect(texts.length).toBeGreaterThan(200)
    for (const text of texts.slice(0, -1)) {
      expect(text).toMatch('\r\u001b[2Kvenue_trades: ')
      expect(text).not.toContain('\n')
    }
    expect(texts.at(-1)).toBe('\r\u001b[2Kvenue_trades: 25 of 25 units, 30,000 rows, 500 rows/s, 50 requests\n')
  })

  test('names what was quarantined and what failed, by name and reason', async () => {
    const failures = [{ unit: 'venue_trades/venue/00/0xa', reason: 'answered 500' }]
    const lines = await reported(false, slowHouse(25, { units: 24, failed: 1, quarantined: 1_234, failures }), 1)
    expect(lines.slice(-2)).toEqual([
      'venue_trades: 24 of 25 units, 30,000 rows, 500 rows/s, 50 requests, 1,234 quarantined, 1 failed\n',
      '  failed venue_trades/venue/00/0xa: answered 500\n',
    ])
  })

  test('says from its first line on why no request is answered', async () => {
    const house = slowHouse(25)
    house.counts.fault = 'venue could not be read: connect ECONNREFUSED 127.0.0.1:9'
    const lines = await reported(false, house, 1)
    expect(lines[0]).toBe(
      'venue_trades: 0 of 25 units, 0 rows, 0 rows/s, 0 requests: venue could not be read: connect ECONNREFUSED 127.0.0.1:9\n',
    )
    expect(lines.at(-1)).toMatch(/50 requests\n$/)
  })

  test('ends with the error of the backfill', async () => {
    const pipeline = slowHouse(25)
    const broken = { ...pipeline.activities, instant: () => Promise.reject(new Error('no disk')) }
    const texts: string[] = []
    const done = runBackfill(
      { ...pipeline, activities: broken },
      {
        isTerminal: false,
        write: (text) => texts.push(text),
      },
    )
    const outcome = done.catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(await outcome).toEqual(new Error('no disk'))
    expect(vi.getTimerCount()).toBe(0)
  })
})

test('counts have thousands', () => {
  expect([count(0), count(999), count(1_000), count(1_234_567)]).toEqual(['0', '999', '1,000', '1,234,567'])
})
