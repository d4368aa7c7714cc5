import { describe, expect, test } from 'vitest'

import { clock, cut, run, type Given } from '#test/scoring/model.ts'

const native = `0x${'a'.repeat(64)}`
const market_id = `polymarket:${native}`

const fill = (trader: string, ts: string, source: string, more: Record<string, string | number> = {}) => ({
  venue: 'polymarket',
  token_id: 'token',
  ts,
  tx: `0x${ts}`,
  trader,
  side: 'buy',
  price: 0.5,
  size: 10,
  market_id,
  source,
  ...more,
})
const stretch = (
  source: string,
  key: string,
  precedence: number,
  [from_at, to_at]: readonly [string, string] = ['2026-01-01', '9999-01-01'],
) => ({ dataset: 'fills', part: 'polymarket', source, key, precedence, from_at, to_at })

/** The market's own history, and that of the account of `ann` in one hour of it. */
const hour = ['2026-03-01 10:00', '2026-03-01 11:00'] as const
const stretches = [stretch('trades', native, 1), stretch('activity', 'ann', 2, hour)]

const counted = async (fills: Given[string], more: Given = {}) =>
  cut(
    await run('staging.fills', { 'lake.fills': fills, 'staging.coverage_intervals': stretches, ...more }),
    'trader',
    'ts',
    'source',
  )

describe('fills for the ledgers', () => {
  test("count by the account's own history inside its stretch, and by the market's outside: from its start to its end", async () => {
    const instants = ['2026-03-01 09:59:59', '2026-03-01 10:00:00', '2026-03-01 10:59:59', '2026-03-01 11:00:00']
    const fills = instants.flatMap((ts) => [fill('ann', ts, 'trades'), fill('bob', ts, 'trades')])
    const own = instants.slice(1, 3).map((ts) => fill('ann', ts, 'activity'))
    expect(await counted([...fills, ...own])).toEqual(
      [
        ['ann', instants[0], 'trades'],
        ['ann', instants[1], 'activity'],
        ['ann', instants[2], 'activity'],
        ['ann', instants[3], 'trades'],
        ...instants.map((ts) => ['bob', ts, 'trades']),
      ].toSorted((a, b) => (`${a[1]}${a[0]}` < `${b[1]}${b[0]}` ? -1 : 1)),
    )
  })

  test('of an anonymous venue are none, since the empty trader is no account', async () => {
    const all = { 'staging.coverage_intervals': [stretch('feed', '', 1)] }
    expect(await counted([fill('', '2026-03-01 10:30:00', 'feed')], all)).toEqual([])
  })

  test('keep what the account did and the market does not show, and the other way round', async () => {
    const fills = [fill('ann', '2026-03-01 10:30:00', 'activity'), fill('bob', '2026-03-01 10:30:00', 'trades')]
    expect(await counted(fills)).toEqual([
      ['ann', '2026-03-01 10:30:00', 'activity'],
      ['bob', '2026-03-01 10:30:00', 'trades'],
    ])
    expect(await counted([fill('ann', '2026-03-01 10:30:00', 'trades')])).toEqual([])
  })

  test('count only where their own unit covers them: not after the unit was read', async () => {
    const late = '2026-03-01 11:00:00'
    expect(await counted([fill('ann', late, 'activity')])).toEqual([])
    expect(await counted([fill('ann', late, 'activity'), fill('ann', late, 'trades')])).toEqual([
      ['ann', late, 'trades'],
    ])
    expect(await counted([fill('bob', '2026-03-01 10:30:00', 'activity')])).toEqual([])
  })

  test("of a feed that covers a venue stand back behind a market's history", async () => {
    const feed = fill('bob', '2026-03-01 10:30:00', 'feed')
    const other = fill('bob', '2026-03-01 10:30:00', 'feed', { market_id: `polymarket:0x${'b'.repeat(64)}` })
    const more = { 'staging.coverage_intervals': [...stretches, stretch('feed', '', 0)] }
    expect(await counted([feed, other], more)).toEqual([['bob', '2026-03-01 10:30:00', 'feed']])
  })

  test('are what is known at the clock, to its instant', async () => {
    const fills = [fill('bob', clock, 'trades'), fill('bob', '2026-11-20 12:00:00.000001', 'trades')]
    expect(await counted(fills)).toEqual([['bob', clock, 'trades']])
  })

  test('count only where their own unit covers them: what a process stored before it died waits for its coverage', async () => {
    const fills = [
      fill('ann', '2026-03-01 11:30:00', 'activity'),
      fill('ann', '2026-03-01 11:30:00', 'trades'),
      fill('bob', '2026-03-01 11:30:00', 'trades'),
    ]
    expect(await counted(fills)).toEqual([
      ['ann', '2026-03-01 11:30:00', 'trades'],
      ['bob', '2026-03-01 11:30:00', 'trades'],
    ])
  })

  test('leave out system addresses, combos, and rows without coverage', async () => {
    const fills = [
      fill('0xsystem', '2026-03-01 10:30:00', 'trades'),
      fill('ann', '2026-03-01 10:30:00', 'activity', { market_id: `polymarket:0x03${'c'.repeat(60)}` }),
      fill('bob', '2026-03-01 10:30:00', 'half_stored'),
    ]
    const more = { 'staging.system_addresses': [{ address: '0xsystem', label: 'exchange' }] }
    expect(await counted(fills, more)).toEqual([])
  })

  test('of another venue have ids of their own length', async () => {
    const fills = [fill('bob', '2026-03-01 10:30:00', 'trades', { venue: 'limitless', market_id: 'limitless:rain' })]
    const more = {
      'staging.coverage_intervals': [...stretches, { ...stretch('trades', 'rain', 1), part: 'limitless' }],
    }
    expect(await counted(fills, more)).toEqual([['bob', '2026-03-01 10:30:00', 'trades']])
  })

  test('of a read account on Limitless end with its last reading, since its market lists takers only', async () => {
    const rain = { venue: 'limitless', market_id: 'limitless:rain' }
    const instants = ['2026-03-01 09:59:59', '2026-03-01 10:30:00', '2026-03-01 11:00:00']
    const fills = instants.flatMap((ts) => [fill('ann', ts, 'trades', rain), fill('bob', ts, 'trades', rain)])
    const coverage = [stretch('trades', 'rain', 1), stretch('activity', 'ann', 2, hour)]
    const more = { 'staging.coverage_intervals': coverage.map((one) => ({ ...one, part: 'limitless' })) }
    expect(await counted(fills, more)).toEqual([
      ['ann', instants[0], 'trades'],
      ...instants.map((ts) => ['bob', ts, 'trades']),
    ])
  })
})
