import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import type { Lake } from '#lake/lake.ts'
import type { Unit } from '#lake/units/unit.ts'
import { kalshiArchive } from '#sources/markets/kalshi/kalshi_archive.ts'
import { kalshiSettlements } from '#sources/markets/kalshi/kalshi_settlements.ts'
import { fakeGet, planWith, readWith, temporaryLake } from '#test/sources/markets/polymarket/fake.ts'

import { kalshi, settledBody, type Kalshi } from './wire.ts'

let lake: Lake
let remove: () => Promise<void>
beforeEach(async () => {
  ;({ lake, remove } = await temporaryLake())
})
afterEach(() => remove())

const hour = 3_600_000_000
const day = 24 * hour
const noon = Date.UTC(2026, 10, 20, 12) * 1000
const at = noon + 3 * hour
const unit: Unit = {
  source: 'kalshi_settlements',
  kind: 'hour',
  part: 'kalshi',
  key: '',
  from: noon,
  to: noon + hour,
  params: [],
}
const read = (venue: Kalshi) =>
  readWith(kalshiSettlements, unit, {
    lake,
    get: fakeGet(kalshi(venue)).get,
    at,
    until: Number.MAX_SAFE_INTEGER,
  })

describe('an hour of settlements', () => {
  const inside = settledBody('KXA-1-M', '2026-11-20T12:30:00Z')

  test('has those of the hour alone, combinations left out', async () => {
    const { rows, state } = await read({
      markets: [
        inside,
        settledBody('KXA-1-N', '2026-11-20T13:00:00Z'),
        settledBody('KXMVE-1-N', '2026-11-20T12:30:00Z', { mve_collection_ticker: 'KXMVE-R' }),
      ],
    })
    expect(rows.resolutions?.map(({ market_id }) => market_id)).toEqual(['kalshi:KXA-1-M'])
    expect(rows.markets?.map(({ market_id, seen_at }) => [market_id, seen_at])).toEqual([
      ['kalshi:KXA-1-M', noon + hour / 2],
    ])
    expect(state).toBe('complete')
  })

  test('fails while the list shows no settled market of any time', async () => {
    await expect(read({ markets: [] })).rejects.toThrow('the list of settled markets: empty at all times')
    expect(await read({ markets: [settledBody('KXA-1-M', '2026-11-19T12:30:00Z')] })).toMatchObject({
      state: 'complete',
    })
  })

  test('is not read from a list that ignores the seconds', async () => {
    const markets = Array.from({ length: 10 }, (_, n) => settledBody(`KXA-1-${n}`, `2026-11-1${n}T12:30:00Z`))
    await expect(read({ markets, pageSize: 10 })).rejects.toThrow('/markets: no row of a page is of the seconds')
  })

  test('that the archive has in part is unverified, and unavailable if it has all of it', async () => {
    const part = await read({ markets: [inside], cutoff: '2026-11-20T12:10:00Z' })
    expect([part.state, part.reason]).toEqual([
      'unverified',
      'markets settled before 2026-11-20 12:10:00.000000 have moved to the archive',
    ])
    const all = await read({ cutoff: '2026-11-21T00:00:00Z' })
    expect([all.state, all.rows]).toEqual(['unavailable', {}])
  })

  test('is planned for the live months of an interval, or for three days', async () => {
    const planned = await planWith(kalshiSettlements, lake, { at, from: 1 })
    expect(planned[0]?.from).toBe(at - 100 * day)
    expect(planned.at(-1)?.from).toBe(noon + 2 * hour)
    expect(await planWith(kalshiSettlements, lake, { at })).toHaveLength(73)
    const followed = await planWith(kalshiSettlements, lake, { at, from: 1, includeOpen: true })
    expect(followed[0]?.from).toBe(at - 30 * day)
  })
})

describe('the archive', () => {
  test('is planned by series, or by the requested series', async () => {
    const { get } = fakeGet(kalshi({ series: [{ ticker: 'KXB' }, { ticker: 'KXA' }, { ticker: '' }] }))
    const keysOf = (units: Unit[]) => units.map(({ key }) => key).toSorted()
    expect(keysOf(await planWith(kalshiArchive, lake, { at, get }))).toEqual(['KXA', 'KXB'])
    expect(keysOf(await planWith(kalshiArchive, lake, { at, keys: ['kalshi:KXC'] }))).toEqual(['KXC'])
  })

  test('grows, and may be empty', async () => {
    const [planned] = await planWith(kalshiArchive, lake, { at, keys: ['KXC'] })
    if (planned === undefined) throw new Error('no unit was planned')
    const { get } = fakeGet(kalshi({}))
    const { rows, state, reason } = await readWith(kalshiArchive, planned, { lake, get, at })
    expect([rows, state]).toEqual([{ markets: [], resolutions: [] }, 'growing'])
    expect(reason).toBe('the archive grows; markets settled before 2026-08-20 00:00:00.000000 are in it')
  })
})
