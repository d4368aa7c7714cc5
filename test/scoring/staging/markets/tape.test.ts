import { describe, expect, test } from 'vitest'

import { clock, cut, run, type Given } from '#test/scoring/model.ts'

const after = '2026-11-20 12:00:00.000001'
const native = `0x${'a'.repeat(64)}`
/** Of Protocol V2: a combo, and a market of its own. */
const combo = `0x03${'a'.repeat(60)}`
const v2 = `0x01${'a'.repeat(60)}`
const market_id = `polymarket:${native}`
type Row = Given[string][number]

const fill = (ts: string, role: string | null, more: Row = {}): Row => ({
  venue: 'polymarket',
  market_id,
  ts,
  role,
  trader: 'ann',
  source: 'trades',
  ...more,
})
const stretch = (
  source: string,
  key: string,
  precedence: number,
  from_at = '2026-01-01',
  to_at = '9999-01-01',
): Row => ({
  dataset: 'fills',
  part: 'polymarket',
  source,
  key,
  precedence,
  from_at,
  to_at,
})
const counted = async (fills: Row[], stretches: Row[]) =>
  cut(
    await run('staging.tape', { 'lake.fills': fills, 'staging.coverage_intervals': stretches }),
    'ts',
    'trader',
    'source',
  )

describe('the tape', () => {
  test('of an anonymous venue is that of the last 24 hours', async () => {
    const anonymous = { trader: '', market_id: 'kalshi:k', venue: 'kalshi', source: 'feed' }
    const [dayAgo, since] = ['2026-11-19 12:00:00', '2026-11-19 12:00:00.000001']
    const rows = [dayAgo, since, clock].map((ts) => fill(ts, 'taker', anonymous))
    expect(
      await counted([...rows, fill(dayAgo, 'block', anonymous)], [{ ...stretch('feed', '', 5), part: 'kalshi' }]),
    ).toEqual([since, clock].map((ts) => [ts, '', 'feed']))
  })

  test('is both sides of what the markets show up to the clock: not accounts, which have no roles, nor combos', async () => {
    const rows = [
      fill(clock, 'taker'),
      fill(clock, 'maker', { trader: 'bob' }),
      fill(clock, null, { trader: 'cid' }),
      fill(clock, 'taker', { trader: 'dan', market_id: `polymarket:${combo}` }),
      fill(clock, 'taker', { trader: 'gus', market_id: `polymarket:${v2}` }),
      fill(clock, 'taker', { trader: 'eve', market_id: 'limitless:rain', venue: 'limitless' }),
      fill(after, 'taker', { trader: 'fay' }),
    ]
    const stretches = [
      stretch('trades', native, 10),
      stretch('trades', combo, 10),
      stretch('trades', v2, 10),
      { ...stretch('trades', 'rain', 10), part: 'limitless' },
    ]
    const tape = await run('staging.tape', { 'lake.fills': rows, 'staging.coverage_intervals': stretches })
    expect(cut(tape, 'trader', 'role')).toEqual([
      ['eve', 'taker'],
      ['ann', 'taker'],
      ['bob', 'maker'],
      ['gus', 'taker'],
    ])
  })

  const instants = ['2026-03-01 09:59:59', '2026-03-01 10:00:00', '2026-03-01 10:59:59', '2026-03-01 11:00:00']
  const both = instants.flatMap((ts) => [fill(ts, 'taker'), fill(ts, 'taker', { source: 'feed' })])

  test("is the market's own history inside its stretch, from its start to its end, and the feed outside", async () => {
    const stretches = [
      stretch('feed', '', 5),
      stretch('trades', native, 10, '2026-03-01 10:00', '2026-03-01 11:00'),
      // Of the account, which reports no roles, though it goes before both.
      stretch('activity', 'ann', 20),
    ]
    expect(await counted(both, stretches)).toEqual([
      [instants[0], 'ann', 'feed'],
      [instants[1], 'ann', 'trades'],
      [instants[2], 'ann', 'trades'],
      [instants[3], 'ann', 'feed'],
    ])
  })

  test('has of another market what the feed reports, also where this one has a history', async () => {
    const other = `polymarket:0x${'b'.repeat(64)}`
    const rows = [fill(clock, 'taker', { source: 'feed', market_id: other }), fill(clock, 'taker', { source: 'feed' })]
    const stretches = [stretch('feed', '', 5), stretch('trades', native, 10)]
    const tape = await run('staging.tape', { 'lake.fills': rows, 'staging.coverage_intervals': stretches })
    expect(cut(tape, 'market_id')).toEqual([[other]])
  })

  test('holds no row without a covering unit, neither of the feed nor of a market', async () => {
    expect(await counted(both, [])).toEqual([])
    const hour = [stretch('feed', '', 5, '2026-03-01 10:00', '2026-03-01 11:00')]
    expect(await counted(both, hour)).toEqual(instants.slice(1, 3).map((ts) => [ts, 'ann', 'feed']))
    expect(await counted(both, [{ ...stretch('feed', '', 5), dataset: 'activity' }])).toEqual([])
    expect(await counted(both, [{ ...stretch('feed', '', 5), part: 'limitless' }])).toEqual([])
  })

  test('keeps rows alike apart', async () => {
    const alike = [0, 1].map((seq) => fill(clock, seq === 0 ? 'taker' : 'maker', { source: 'feed', seq }))
    const tape = await run('staging.tape', {
      'lake.fills': alike,
      'staging.coverage_intervals': [stretch('feed', '', 5)],
    })
    expect(cut(tape, 'seq', 'role')).toEqual([
      [0, 'taker'],
      [1, 'maker'],
    ])
  })
})

test('pushed rows count after the end of the feed alone, and not in a market that was read', async () => {
  const instants = ['2026-03-01 09:59:59', '2026-03-01 10:00:00', '2026-03-01 11:00:00']
  const rows = instants.flatMap((ts) => [fill(ts, 'taker', { source: 'feed' }), fill(ts, 'taker', { source: 'push' })])
  const stretches = [
    stretch('feed', '', 5, '2026-01-01', '2026-03-01 10:00'),
    stretch('push', '', 2, '2026-03-01 09:00', '2026-03-01 10:30'),
  ]
  const tape = async (more: Row[] = []) => counted(rows, [...stretches, ...more])
  expect(await tape()).toEqual([
    ['2026-03-01 09:59:59', 'ann', 'feed'],
    ['2026-03-01 10:00:00', 'ann', 'push'],
  ])
  expect(await tape([stretch('trades', native, 10)])).toEqual([])
})
