import { expect, test } from 'vitest'

import { describeLate, freshnessOf } from '#bin/report/freshness.ts'
import { forgetFollows, noteAnswered, noteRounds, readFollows, type FollowedRound } from '#lake/catalog/follows.ts'
import { newLake } from '#test/lake/fixture.ts'

const minute_ms = 60_000
const begin_ms = Date.parse('2026-11-20T12:00:00Z')

const round = (changes: Partial<FollowedRound> = {}): FollowedRound => ({
  source: 'venue_trades',
  part: 'venue',
  every_s: 60,
  reached: null,
  failed_rounds: 0,
  fault: null,
  ...changes,
})

/** A lake with a follow whose state is noted at instants, in minutes since its begin. */
async function followed(...notes: [minute: number, ...rounds: FollowedRound[]][]) {
  const lake = await newLake()
  for (const [minute, ...rounds] of notes) await noteRounds(lake.catalog, rounds, begin_ms + minute * minute_ms)
  const at = async (minute: number) => freshnessOf(await readFollows(lake.catalog), begin_ms + minute * minute_ms)
  return { lake, at }
}

test('a part whose rounds are answered is as old as the first call after the last round', async () => {
  const { at } = await followed([0, round()], [1, round({ reached: 60 })], [3, round({ reached: 60 })])
  expect(await at(3)).toEqual([
    {
      source: 'venue_trades',
      part: 'venue',
      every_s: 60,
      age_s: 120,
      is_late: false,
      failed_rounds: 0,
      reason: null,
    },
  ])
})

test('rounds without an answer make it late after five minutes or three intervals, with the last reason', async () => {
  const failing = round({ reached: 240, failed_rounds: 3, fault: 'venue /trades answered 403' })
  const slow = round({ source: 'venue_lists', every_s: 3_600, reached: 1 })
  const notes = [1, 2, 3, 4, 5, 6, 7].map((minute): [number, FollowedRound, FollowedRound] => [
    minute,
    minute < 2 ? round({ reached: 60 }) : { ...failing, reached: 60 * minute, failed_rounds: minute - 1 },
    slow,
  ])
  const { at } = await followed(...notes)
  expect((await at(6)).map(({ is_late }) => is_late)).toEqual([false, false])
  expect((await at(7)).map(({ source, is_late }) => [source, is_late])).toEqual([
    ['venue_lists', false],
    ['venue_trades', true],
  ])
  expect(describeLate(await at(7))).toEqual([
    'late      venue_trades venue: read 360 s ago; expected every 60 s: 6 failed rounds in a row: venue /trades answered 403',
  ])
})

test('a follow that was killed is named; one that was ended, or begins again, leaves nothing late', async () => {
  const { lake, at } = await followed([0, round()], [1, round({ reached: 60 })])
  expect(describeLate(await at(30))).toEqual([
    expect.stringMatching(/no follow has run since 2026-11-20T12:01:00\.000Z; expected `tapeline start` or `tapeline/),
  ])
  await forgetFollows(lake.catalog)
  expect(await at(30)).toEqual([])
  await noteRounds(lake.catalog, [round({ reached: 60 })], begin_ms + 31 * minute_ms)
  expect((await at(32)).map(({ is_late }) => is_late)).toEqual([false])
})

test('a long round whose units are answered is not late, nor are the sources that wait for it', async () => {
  const waiting = round({ source: 'venue_markets', reached: 60 })
  const failing = round({ source: 'venue_accounts', reached: 60, failed_rounds: 2, fault: 'answered 403' })
  const elsewhere = round({ part: 'other', reached: 60 })
  const { lake, at } = await followed([0, round({ reached: 60 }), waiting, failing, elsewhere])
  const answered = { source: 'venue_trades', part: 'venue', waiting: ['venue_markets', 'venue_accounts'] }
  await noteAnswered(lake.catalog, answered, begin_ms + 9 * minute_ms)
  const lateAt = async (minute: number): Promise<string[]> =>
    (await at(minute)).filter(({ is_late }) => is_late).map(({ source, part }) => `${source} ${part}`)
  expect(await lateAt(10)).toEqual(['venue_accounts venue', 'venue_trades other'])
  // Without a further answer the round hangs.
  expect(await lateAt(15)).toHaveLength(4)
  // An upstream that answers again ends its own lateness.
  await noteAnswered(lake.catalog, { source: 'venue_accounts', part: 'venue', waiting: [] }, begin_ms + 15 * minute_ms)
  expect(await lateAt(15)).not.toContain('venue_accounts venue')
})

test('a round that does not end is late too, also the first one', async () => {
  const { at } = await followed([0, round()], [4, round()], [8, round()])
  expect((await at(8)).map(({ is_late, reason }) => [is_late, reason])).toEqual([
    [true, 'its round has not ended; `tapeline status` shows the run'],
  ])
})
