import { describe, expect, test } from 'vitest'

import { clock } from '#test/scoring/model.ts'

import { dayAgo, withinDay, recent, market_id, trade, market, volume, type Row } from './market_odds_given.ts'

describe('the volume of 24 hours', () => {
  const stretch = (more: Row = {}): Row => ({
    dataset: 'fills',
    part: 'polymarket',
    key: 'a',
    source: 'trades',
    from_at: dayAgo,
    to_at: recent,
    is_proved: true,
    ...more,
  })
  const said: Row = { market_id, venue: 'polymarket', ts: recent, volume_24h_usd: 777, period_s: 0 }
  const tape = [
    trade(),
    trade({ role: 'maker', tx: '0x1' }),
    trade({ cash_usd: 2.5, tx: '0x2' }),
    trade({ token_id: 'no', tx: '0x3' }),
    trade({ ts: dayAgo, size: 1_000 }),
  ]
  const known = { 'staging.tape': tape, 'staging.quotes': [said] }

  test('is the cash of the fills, each match once, where all of them are known', async () => {
    // 10 x 0.3 + 2.5 + 10 x 0.3
    expect(await volume({ ...known, 'staging.coverage_intervals': [stretch()] })).toEqual([8.5, 'fills'])
    expect(await volume({ 'staging.coverage_intervals': [stretch()] })).toEqual([0, 'fills'])
  })

  test("is the venue's figure where they are not: from 24 hours ago, or the market's creation, to an hour ago", async () => {
    expect(await volume(known)).toEqual([777, 'venue'])
    for (const short of [
      { from_at: withinDay },
      { to_at: '2026-11-20 10:59:59.999999' },
      { is_proved: false },
      { dataset: 'activity' },
      { key: 'b' },
      { part: 'limitless' },
    ]) {
      expect(await volume({ ...known, 'staging.coverage_intervals': [stretch(short)] })).toEqual([777, 'venue'])
    }
    const young = { 'core.market_states': [market({ created_at: recent })] }
    const since = (from_at: string) => ({
      ...known,
      ...young,
      'staging.coverage_intervals': [stretch({ from_at, to_at: clock })],
    })
    expect(await volume(since(recent))).toEqual([8.5, 'fills'])
    expect(await volume(since('2026-11-20 11:00:00.000001'))).toEqual([777, 'venue'])
  })

  describe("of the market's own history and the venue's feed together", () => {
    const head = (to_at: string, from_at = '2026-01-01') => stretch({ from_at, to_at })
    const feed = (from_at: string, to_at = clock, more: Row = {}) =>
      stretch({ key: '', source: 'feed', from_at, to_at, ...more })
    const methodOf = async (...stretches: Row[]) =>
      (await volume({ ...known, 'staging.coverage_intervals': stretches }))?.[1]
    const noonBefore = '2026-11-20 02:00:00'

    test('is of the fills where the two cover the day without a gap, in whatever order', async () => {
      expect(await methodOf(head(noonBefore), feed(noonBefore))).toBe('fills')
      expect(
        await methodOf(feed(dayAgo, noonBefore), head('2026-11-20 06:00:00', noonBefore), feed('2026-11-20 05:00:00')),
      ).toBe('fills')
      expect(await methodOf(feed(dayAgo))).toBe('fills')
      expect(await methodOf(feed('2026-11-01'), head('2026-11-20 03:00:00'))).toBe('fills')
    })

    test("is the venue's figure where a moment is missing, or one of them is of another venue or not proved", async () => {
      expect(await methodOf(head('2026-11-20 01:59:59.999999'), feed(noonBefore))).toBe('venue')
      expect(await methodOf(feed(dayAgo, noonBefore), feed('2026-11-20 02:00:01'))).toBe('venue')
      expect(await methodOf(head(noonBefore), feed(noonBefore, '2026-11-20 10:59:59'))).toBe('venue')
      expect(await methodOf(feed(withinDay))).toBe('venue')
      expect(await methodOf(head(noonBefore), feed(noonBefore, clock, { part: 'limitless' }))).toBe('venue')
      expect(await methodOf(head(noonBefore), feed(noonBefore, clock, { is_proved: false }))).toBe('venue')
    })

    test('is of the fills where the market was created while the feed was followed, whatever was missing before', async () => {
      const born = async (created_at: string) =>
        (
          await volume({
            ...known,
            'core.market_states': [market({ created_at })],
            'staging.coverage_intervals': [feed('2026-11-19', '2026-11-20 01:00:00'), feed(noonBefore)],
          })
        )?.[1]
      expect(await born('2026-11-20 02:00:00')).toBe('fills')
      expect(await born('2026-11-20 11:50:00')).toBe('fills')
      expect(await born('2026-11-20 01:59:59')).toBe('venue')
      expect(await born('2026-11-20 00:59:59')).toBe('venue')
    })
  })

  test('is the last that the venue said, nothing being no trade, if it was looked at within 24 hours', async () => {
    const earlier = { ...said, ts: '2026-11-20 10:00:00', volume_24h_usd: 1 }
    const later = { ...said, ts: clock, volume_24h_usd: null }
    expect(await volume({ ...known, 'staging.quotes': [earlier, said] })).toEqual([777, 'venue'])
    expect(await volume({ ...known, 'staging.quotes': [earlier, said, later] })).toEqual([0, 'venue'])
    const observed = { dataset: 'quotes', part: 'polymarket', state: 'done', from_at: recent }
    const unchanged = {
      'staging.quotes': [{ ...said, ts: '2026-11-01' }],
      'lake.coverage': [observed],
    }
    expect(await volume({ ...known, ...unchanged })).toEqual([777, 'venue'])
    expect(await volume({ ...known, 'staging.quotes': [{ ...said, ts: dayAgo }] })).toEqual([8.5, 'fills'])
    expect(await volume({ ...known, 'staging.quotes': [{ ...said, period_s: 60 }] })).toEqual([8.5, 'fills'])
  })

  test('of Limitless is of the stored fills where the venue has no figure, and its figure where it has one', async () => {
    const of = (volume_24h_usd: number | null) => ({ ...said, venue: 'limitless', volume_24h_usd })
    expect(await volume({ ...known, 'staging.quotes': [of(777)] })).toEqual([777, 'venue'])
    expect(await volume({ ...known, 'staging.quotes': [of(null)] })).toEqual([8.5, 'fills'])
    const older = { ...of(777), ts: '2026-11-20 10:00:00' }
    expect(await volume({ ...known, 'staging.quotes': [older, of(null)] })).toEqual([8.5, 'fills'])
  })

  test('is that of the known fills where the venue counts contracts', async () => {
    const contracts = { ...said, volume_24h_usd: null, size_24h: 777, venue: 'kalshi' }
    expect(await volume({ ...known, 'staging.quotes': [contracts] })).toEqual([8.5, 'fills'])
  })
})
