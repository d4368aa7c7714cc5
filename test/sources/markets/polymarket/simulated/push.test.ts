import { setTimeout as sleep } from 'node:timers/promises'

import { expect, test } from 'vitest'
import { z } from 'zod'

import { createWorld, squeezed } from '#sim/markets/world.ts'
import { polymarketFeed } from '#sources/markets/polymarket/polymarket_feed.ts'
import { polymarketPush } from '#sources/markets/polymarket/polymarket_push.ts'
import { fillColumns, staged, tradedAt_s, trueFills } from '#test/pipeline/tape.ts'
import { eventually } from '#test/run/eventually.ts'
import { sized } from '#test/run/sized.ts'
import type { Micros } from '#time.ts'

import { openPushed } from './pushed_world.ts'

const minute = 60_000_000
const world = squeezed(createWorld({ seed: 4, scale: 0.3 }), 40)
const faults = { mute_ms: 2_000, missed: 0.02, lost: 0.05, repeats: true, drift: 0.1 }

const covered = z.object({ source: z.string(), state: z.string(), reason: z.string().nullable(), n_rows: z.bigint() })

/** The surplus and the missing rows of the tape in an interval, against the true tape. */
async function compare(rows: readonly string[], from: Micros, to: Micros) {
  const left = new Map<string, number>()
  for (const text of trueFills(world, (fill) => isIn(fill, from, to), true)) left.set(text, (left.get(text) ?? 0) + 1)
  const doubled = rows.filter((text) => {
    const n = left.get(text) ?? 0
    left.set(text, n - 1)
    return n <= 0
  })
  return { doubled, lacking: [...left].filter(([, n]) => n > 0), n_true: left.size }
}

const isIn = (fill: number, from: Micros, to: Micros): boolean => {
  const at = tradedAt_s(world, fill) * 1_000_000
  return at >= from && at < to
}

test('pushed fills count once and at once, and an hour later none is missing', async () => {
  const { lake, clock, poll, follow, halt, skip, close } = await openPushed(world, { stream: polymarketPush, faults })
  follow()
  const tape = (from: Micros, to: Micros) =>
    staged(lake, clock(), 'tape', {
      columns: `${fillColumns}, role`,
      where: `epoch_us(ts) >= ${from} and epoch_us(ts) < ${to}`,
    })

  const begun = clock()
  for (let round = 0; round < sized(8, 8, 30); round += 1) {
    await poll(polymarketFeed)
    await sleep(1_500)
    const to = clock()
    expect((await compare(await tape(begun, to), begun, to)).doubled).toEqual([])
  }
  // Most fills are there before the feed could show them, in spite of the faults.
  await halt(() =>
    eventually(async () => {
      const to = clock()
      const { lacking, n_true } = await compare(await tape(begun, to), begun, to)
      expect(1 - lacking.length / Math.max(1, n_true)).toBeGreaterThan(0.7)
    }),
  )
  const states = await lake.read(({ query }) =>
    query("select source, state, reason, n_rows from lake.coverage where source = 'polymarket_push'", covered),
  )
  expect(states.map(({ state }) => state)).toEqual(states.map(() => expect.stringMatching(/unverified|quarantined/)))
  expect(states.at(-1)?.reason).toContain('provisional until polymarket_feed')

  const end = clock()
  skip(80 * minute)
  await poll(polymarketFeed)
  const later = await compare(await tape(begun, end), begun, end)
  expect([later.doubled, later.lacking]).toEqual([[], []])
  expect(later.n_true).toBeGreaterThan(50)
  expect(await close()).toContain('the test is over')
})
