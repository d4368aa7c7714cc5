import { describe, expect, test } from 'vitest'

import { describeRuns } from '#bin/report/runs.ts'
import type { RunState } from '#engine/engine.ts'

const minute = 60_000_000
const start = Date.UTC(2026, 10, 20, 12) * 1000

const followOf = (part: string, more: object = {}): RunState => ({
  id: `follow-${part}-swaps`,
  workflow: 'follow',
  progress: {
    group: 'swaps',
    part,
    units: 2,
    rounds: 2,
    rows: 1_000,
    quarantined: 0,
    failed: 0,
    reached: { evm_swaps: start },
    isPaused: false,
    rate: null,
    fault: null,
    failedRounds: 0,
    ...more,
  },
})

describe('runs as text', () => {
  test('of a few parts are a line each', () => {
    const progress = { source: 'venue_trades', due: 10, units: 3, rows: 7, failed: 1, rate: 50, isPaused: true }
    expect(
      describeRuns([
        followOf('base'),
        followOf('gnosis', { fault: 'evm_swaps: no such block', failedRounds: 3 }),
        { id: 'score', workflow: 'score', progress: null },
        { id: 'backfill-venue_trades', workflow: 'backfill', progress },
      ]),
    ).toEqual([
      'follow-base-swaps: 2 rounds, reached 2026-11-20T12:00:00.000Z, 1,000 rows',
      'follow-gnosis-swaps: 2 rounds, reached 2026-11-20T12:00:00.000Z, 1,000 rows, failed 3 times in a row: evm_swaps: no such block',
      'score',
      'backfill-venue_trades: venue_trades, 3 of 10 units, 7 rows, 1 failed, at most 50 requests in 10 s, paused',
    ])
  })

  test('of 300 parts are one line, with the failing and the oldest named', () => {
    const parts = Array.from({ length: 300 }, (_, n) =>
      followOf(`chain${n}`, { reached: { evm_swaps: start + minute } }),
    )
    parts[7] = followOf('chain7', { reached: {}, rounds: 0 })
    parts[9] = followOf('chain9', { fault: 'evm_swaps: no such block', failedRounds: 4 })
    parts[11] = followOf('chain11', { fault: 'not published: no disk', isPaused: true })
    expect(describeRuns([...parts, { id: 'score', workflow: 'score', progress: null }])).toEqual([
      'swaps: 300 parts, 598 rounds, 300,000 rows, 1 paused, 2 failing, oldest follow-chain7-swaps, no round yet',
      '  follow-chain9-swaps: failed 4 times in a row: evm_swaps: no such block',
      '  follow-chain11-swaps: not published: no disk',
      'score',
    ])
  })

  test('name no more than five of the parts that fail', () => {
    const parts = Array.from({ length: 20 }, (_, n) =>
      followOf(`chain${n}`, { fault: 'evm_swaps: x', failedRounds: n }),
    )
    const lines = describeRuns(parts)
    expect(lines).toHaveLength(7)
    expect(lines[1]).toBe('  follow-chain19-swaps: failed 19 times in a row: evm_swaps: x')
    expect(lines.at(-1)).toBe('  and 15 more that fail')
  })
})
