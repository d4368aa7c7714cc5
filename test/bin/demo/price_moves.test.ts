import { expect, test, vi } from 'vitest'

import { reportMoves } from '#bin/demo/price_moves.ts'
import type { Marts } from '#snapshots/marts.ts'

const noon = Date.UTC(2026, 5, 1, 12) * 1000

test('each new pulse is reported once, with the market that moved most', async () => {
  vi.useFakeTimers()
  const row = (id: string, yes_price: number) => ({ id, question: `Will ${id} happen?`, yes_price, volume_24h: 1 })
  const pulses = [
    [row('a', 0.5), row('b', 0.25)],
    [row('a', 0.51), row('b', 0.2), row('c', 0.9)],
    [row('a', 0.51), row('b', 0.2)],
  ]
  let n = 0
  const marts = {
    current: () => ({ id: String(n), asOf: noon + n * 60_000_000, query: async () => pulses[n] }),
  } as unknown as Marts
  const written: string[] = []
  const stop = reportMoves(marts, { write: (text) => written.push(text) })
  await vi.advanceTimersByTimeAsync(3_000)
  expect(written).toEqual([])
  n = 1
  await vi.advanceTimersByTimeAsync(3_000)
  n = 2
  await vi.advanceTimersByTimeAsync(3_000)
  await stop()
  vi.useRealTimers()
  expect(written).toEqual([
    '2026-06-01 12:01  3 markets open, 2 moved; Will b happen? 0.250 -> 0.200\n',
    '2026-06-01 12:02  2 markets open, 0 moved\n',
  ])
})
