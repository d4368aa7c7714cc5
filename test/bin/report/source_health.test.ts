import { describe, expect, test } from 'vitest'

import { failingSources, rejectionRates } from '#bin/report/rejection_rate.ts'
import { sourceStates } from '#bin/report/source_health.ts'
import type { Lake } from '#lake/lake.ts'
import { storeFailure, storeRefusal, type UnitContents } from '#lake/units/store_unit.ts'
import type { Unit } from '#lake/units/unit.ts'
import { lifeOf, newLake, noon, quote, storeRows } from '#test/lake/fixture.ts'
import { HOUR } from '#time.ts'

/** Stores a unit of `n` rows of which some did not parse. */
const store = (lake: Lake, key: string, n: number, n_refused: number, more: Partial<UnitContents> = {}) =>
  storeRows(
    lake,
    lifeOf(key),
    { quotes: Array.from({ length: n - n_refused }, (_, i) => quote(key, noon + i)), markets: [] },
    {
      rejected: Array.from({ length: n_refused }, (_, i) => ({ dataset: 'quotes' as const, reason: 'odd', body: i })),
      ...more,
    },
  )

describe('a source', () => {
  test('is failing when more than 1 % of its last 2,000 rows did not parse', async () => {
    const lake = await newLake()
    await store(lake, '0xa', 2_000, 20)
    expect(await lake.read(rejectionRates)).toEqual([
      { source: 'venue_quotes', n_rows: 2_000, n_refused: 20, share: 0.01 },
    ])
    expect(await failingSources(lake)).toEqual([])
    await store(lake, '0xa', 2_000, 21)
    expect(await failingSources(lake)).toEqual([
      { source: 'venue_quotes', n_rows: 2_000, n_refused: 21, share: 0.0105 },
    ])
  })

  test('is judged by the units that it read last, as many as hold 2,000 rows', async () => {
    const lake = await newLake()
    const minutes = (n: number) => ({ checkedAt: noon + n * 60_000_000 })
    await store(lake, '0xold', 100, 100, minutes(0))
    await store(lake, '0xnew', 1_999, 0, minutes(1))
    expect(await failingSources(lake)).toHaveLength(1)
    await store(lake, '0xnewest', 1, 0, minutes(2))
    expect(await lake.read(rejectionRates)).toEqual([{ source: 'venue_quotes', n_rows: 2_000, n_refused: 0, share: 0 }])
  })

  test('that observes a list is judged by its last reading, and by all rows that it read, not by those that changed', async () => {
    const lake = await newLake()
    const observe = (minute: number, n_changed: number, n_refused: number, n_read?: number): Promise<unknown> => {
      const from = noon + minute * 60_000_000
      const unit = {
        source: 'polymarket_odds',
        kind: 'observation',
        part: 'polymarket',
        key: '',
        from,
        to: from,
      } as const
      const quotes = Array.from({ length: n_changed }, (_, i) => quote('0xa', from + i))
      const rejected = Array.from({ length: n_refused }, (_, i) => ({
        dataset: 'quotes' as const,
        reason: 'odd',
        body: i,
      }))
      return storeRows(
        lake,
        { ...unit, params: [] },
        { quotes },
        { rejected, checkedAt: from, ...(n_read === undefined ? {} : { n_read: { quotes: n_read } }) },
      )
    }
    await observe(0, 900, 1, 901)
    // One broken market that is read again with every observation of a list that became shorter.
    for (let minute = 1; minute <= 5; minute++) await observe(minute, 0, 1, 500)
    expect(await lake.read(rejectionRates)).toEqual([
      { source: 'polymarket_odds', n_rows: 500, n_refused: 1, share: 0.002 },
    ])
    await observe(6, 0, 6, 500)
    expect(await failingSources(lake)).toMatchObject([{ n_rows: 500, n_refused: 6, share: 0.012 }])
    await observe(7, 10, 0, 500)
    expect(await failingSources(lake)).toEqual([])
  })

  test('that has read nothing, or nothing but empty units, is not failing', async () => {
    const lake = await newLake()
    expect(await lake.read(rejectionRates)).toEqual([])
    await store(lake, '0xa', 0, 0)
    expect(await lake.read(rejectionRates)).toEqual([{ source: 'venue_quotes', n_rows: 0, n_refused: 0, share: 0 }])
  })
})

describe('the state of sources', () => {
  test('counts units once however many datasets they fill, and rows of all', async () => {
    const lake = await newLake()
    await store(lake, '0xa', 5, 1, { state: 'done', to: null })
    await store(lake, '0xb', 3, 0, { to: noon + 5_000_000 })
    await store(lake, '0xc', 2, 0, { to: noon })
    expect(await sourceStates(lake, noon + 65_000_000)).toEqual([
      {
        source: 'venue_quotes',
        units: { done: 1, head: 2 },
        rows: 9,
        quarantined: 1,
        reaches: '2026-11-20T13:05:05.000Z',
        lag_s: 60,
        read_at: '2026-11-20T13:05:00.000Z',
        rows_read: 10,
        refused_share: 0.1,
        is_failing: true,
        refused_readings: 0,
        reasons: [],
      },
    ])
  })

  test('has for each source the most frequent reasons, whatever another one has', async () => {
    const lake = await newLake()
    const fail = (source: string, key: string, reason: string) =>
      storeFailure(
        lake,
        { ...lifeOf(key), source },
        { datasets: ['quotes', 'markets'], precedence: 1, reason, asked: [], checkedAt: noon },
      )
    for (let n = 0; n < 60; n++) {
      await fail('busy_quotes', `0xa${n}`, `odd ${n}`)
      await fail('busy_quotes', `0xb${n}`, `odd ${n}`)
    }
    await fail('calm_quotes', '0xa', 'answered 500')
    await fail('calm_quotes', '0xb', 'answered 500')
    await fail('calm_quotes', '0xc', 'answered 404')
    const [busy, calm] = await sourceStates(lake, noon)
    expect(busy?.units).toEqual({ missing: 120 })
    expect(busy?.reasons).toEqual([0, 1, 10, 11, 12].map((n) => ({ reason: `odd ${n}`, n_units: 2 })))
    expect(calm).toMatchObject({ reaches: null, lag_s: null, read_at: null, rows: 0, is_failing: false })
    expect(calm?.reasons).toEqual([
      { reason: 'answered 500', n_units: 2 },
      { reason: 'answered 404', n_units: 1 },
    ])
  })

  test('names the readings of the future and counts them as none, unless the world is simulated', async () => {
    const lake = await newLake()
    const [now, at] = [noon + HOUR, noon + 2 * HOUR]
    await store(lake, '0xa', 2_000, 0)
    await store(lake, '0xb', 2_000, 2_000, { checkedAt: at, to: at })
    const reason = 'read by a clock that was ahead; the next backfill or follow over its time reads it again'
    const [first, last] = ['2026-11-20T13:05:00.000Z', '2026-11-20T15:05:00.000Z']
    const present = { reaches: first, lag_s: 3_600, read_at: first, refused_share: 0, is_failing: false }
    const counted = { reasons: [], reaches: last, lag_s: 0, read_at: last, refused_share: 1, is_failing: true }
    expect(await sourceStates(lake, now)).toMatchObject([{ ...present, reasons: [{ reason, n_units: 1 }] }])
    expect(await sourceStates(lake, at)).toMatchObject([counted])
    await lake.claim('the simulated world 5')
    expect(await sourceStates(lake, now)).toMatchObject([counted])
  })

  test('counts refused readings, of a list only the last one', async () => {
    const lake = await newLake()
    const observed = (minutes: number): Unit => {
      const at = noon + minutes * 60_000_000
      return { ...lifeOf(''), kind: 'observation', from: at, to: at }
    }
    const storeList = (unit: Unit) => storeRows(lake, unit, { quotes: [quote('0xa', unit.from)] })
    const refuse = (unit: Unit) => storeRefusal(lake, unit, { reason: 'quotes: 2 rows became 1', gaps: [] })
    const counts = async () => (await sourceStates(lake, noon + HOUR)).map((state) => state.refused_readings)
    await store(lake, '0xa', 5, 0, { state: 'done', to: null })
    await storeList(observed(0))
    expect(await counts()).toEqual([0])
    await refuse(observed(0))
    await refuse(lifeOf('0xa'))
    expect(await counts()).toEqual([2])
    await storeList(observed(5))
    expect(await counts()).toEqual([1])
    const [state] = await sourceStates(lake, noon + HOUR)
    expect(state?.reasons).toEqual([{ reason: 'quotes: 2 rows became 1', n_units: 2 }])
  })

  test('reaches no instant of a unit that could not be read', async () => {
    const lake = await newLake()
    const failed = { ...lifeOf('0xb'), kind: 'observation', from: noon + 60_000_000, to: noon + 60_000_000 } as const
    const failure = { datasets: ['quotes'], precedence: 1, reason: 'away', checkedAt: failed.to } as const
    await storeFailure(lake, failed, { ...failure, asked: [] })
    const never = { units: { missing: 1 }, reaches: null, lag_s: null, read_at: null }
    expect(await sourceStates(lake, noon + 90_000_000)).toMatchObject([never])
    await store(lake, '0xa', 1, 0, { to: noon })
    const behind = { units: { head: 1, missing: 1 }, reaches: '2026-11-20T13:05:00.000Z', lag_s: 90 }
    expect(await sourceStates(lake, noon + 90_000_000)).toMatchObject([behind])
  })

  test('of an empty lake is empty', async () => {
    expect(await sourceStates(await newLake(), noon)).toEqual([])
  })
})
