import { expect, test } from 'vitest'

import type { StreamSource } from '#ingest/source.ts'
import { addEvent, hourOf, openHour, rowCount, unitAt } from '#ingest/stream/open_hours.ts'
import { sealHour } from '#ingest/stream/seal.ts'
import type { Lake } from '#lake/lake.ts'
import { lastObserved } from '#lake/units/stored_unit.ts'
import type { Unit } from '#lake/units/unit.ts'
import { polymarketBook } from '#sources/markets/polymarket/polymarket_book.ts'
import { lifeOf, market, newLake, noon, quote, storeRows } from '#test/lake/fixture.ts'
import { HOUR, SECOND, type Micros } from '#time.ts'

const [part] = polymarketBook.parts
const hour = hourOf(noon)
const later = noon + 6 * HOUR

const observation = (source: string, at: Micros): Unit => ({
  ...lifeOf(''),
  source,
  kind: 'observation',
  part: part.name,
  from: at,
  to: at,
})

/** Stores the prices and the open markets of an instant. `checkedAt` may be the right instant of a wrong observation. */
async function observe(lake: Lake, at: Micros, isOpen = true, checkedAt = at): Promise<void> {
  const more = { state: 'done', to: at, checkedAt } as const
  await storeRows(lake, observation('polymarket_odds', at), { quotes: [quote('a', at)] }, more)
  const listed = market('a', { seen_at: at, is_open: isOpen })
  await storeRows(lake, observation('polymarket_markets', at), { markets: [listed] }, more)
}

const odds = { name: 'polymarket_odds', part: part.name }

test('the last observation is none of a future instant, whenever it was read', async () => {
  const lake = await newLake()
  await observe(lake, later, true, noon)
  expect(await lastObserved(lake, odds, noon)).toBeNull()
  await observe(lake, noon + 600 * SECOND)
  expect(await lastObserved(lake, odds, noon)).toBe(noon + 600 * SECOND)
  expect(await lastObserved(lake, odds, noon - SECOND)).toBeNull()
  expect(await lastObserved(lake, odds, later)).toBe(later)
})

/** The start of the open hour of a stream, and the number of its rows, after it is sealed. */
async function sealed(lake: Lake, source: StreamSource) {
  const open = await openHour(lake, source, { part: part.name, hour, from: hour })
  addEvent(open, { cursor: null, at: noon, rows: { quotes: [quote('a', noon)] } }, true)
  await sealHour(lake, source, open, noon + SECOND)
  return { from: open.from, n_rows: rowCount(open) }
}

test('an observation of the future seals no row', async () => {
  const lake = await newLake()
  const source: StreamSource = { ...polymarketBook, values: {} }
  await observe(lake, later)
  expect(await sealed(lake, source)).toEqual({ from: hour, n_rows: 1 })
  await observe(lake, noon - SECOND)
  expect(await sealed(lake, source)).toEqual({ from: noon - SECOND, n_rows: 1 })
})

test('an hour that was read by a clock that was ahead seals no row', async () => {
  const lake = await newLake()
  const source: StreamSource = { ...polymarketBook, values: {}, sealedBy: { name: 'venue_hours', unit: 'hour' } }
  const unit = unitAt({ name: 'venue_hours', unit: 'hour' }, part.name, hour)
  await storeRows(lake, unit, { quotes: [] }, { state: 'done', to: hour + HOUR, checkedAt: later })
  expect(await sealed(lake, source)).toEqual({ from: hour, n_rows: 1 })
  await storeRows(lake, unit, { quotes: [] }, { state: 'done', to: hour + HOUR, checkedAt: noon })
  expect(await sealed(lake, source)).toEqual({ from: hour + HOUR, n_rows: 0 })
})

test('pushed prices count after an observation of the future, of the markets that are open now', async () => {
  const lake = await newLake()
  await observe(lake, noon - 60 * SECOND)
  await observe(lake, later, false)
  const context = { lake, clock: () => noon, part, settings: {}, cursorOf: () => null }
  const { refresh, parse } = 'open' in polymarketBook ? polymarketBook.open(context) : expect.fail('names no tokens')
  await refresh()
  const prices = { event_type: 'best_bid_ask', asset_id: 'a-0', best_bid: '0.5', best_ask: '0.6' }
  const events = parse(JSON.stringify({ ...prices, timestamp: String(noon / 1_000) }))
  expect(events).toMatchObject([{ at: noon, rows: { quotes: [{ bid: 500_000n, ask: 600_000n }] } }])
})
