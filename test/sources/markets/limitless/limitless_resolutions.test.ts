import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import type { ReadResult } from '#ingest/source.ts'
import type { Lake } from '#lake/lake.ts'
import type { Unit } from '#lake/units/unit.ts'
import { limitlessResolutions } from '#sources/markets/limitless/limitless_resolutions.ts'
import { limitlessTrades } from '#sources/markets/limitless/limitless_trades.ts'
import { pushedLifecycle } from '#sources/markets/limitless/wire/lifecycle_messages.ts'
import {
  fakeGet,
  planWith,
  readWith,
  store,
  temporaryLake,
  type Upstream,
} from '#test/sources/markets/polymarket/fake.ts'
import { DAY, HOUR, SECOND, type Micros } from '#time.ts'

import { marketBody, slug, venue } from './wire.ts'

const at = Date.UTC(2026, 10, 20, 12) * 1000
const updated = Date.UTC(2026, 10, 20, 11) * 1000
const unit: Unit = {
  source: 'limitless_resolutions',
  kind: 'history',
  part: 'limitless',
  key: slug(1),
  from: 0,
  to: null,
  params: [],
}

let lake: Lake
let remove: () => Promise<void>
beforeEach(async () => {
  ;({ lake, remove } = await temporaryLake())
})
afterEach(() => remove())

const read = async (upstream: Upstream, instant: Micros = at): Promise<ReadResult> => {
  const { get } = fakeGet(upstream)
  const reading = await readWith(limitlessResolutions, unit, { lake, get, at: instant })
  if (reading.state !== 'unavailable')
    await store(lake, unit, reading.rows, { at: instant, state: 'head', to: instant })
  return reading
}
const of = (more: Record<string, unknown>) => venue({ markets: [marketBody(1, more)] })
const won = { status: 'RESOLVED', expired: true, winningOutcomeIndex: 0 }

describe('a market that is not active any more', () => {
  test.each([
    [0, [1_000_000n, 0n]],
    [1, [0n, 1_000_000n]],
  ])('with the winner %i has its payouts at its last update', async (winningOutcomeIndex, payouts) => {
    const { rows, state } = await read(of({ ...won, winningOutcomeIndex }))
    expect(rows.resolutions).toEqual([
      { market_id: `limitless:${slug(1)}`, ts: updated, venue: 'limitless', payouts, status: 'resolved', tx: null },
    ])
    expect(rows.markets).toMatchObject([{ status: 'resolved', is_open: false, closed_at: updated }])
    expect(state).toBe('complete')
  })

  test.each([{ status: 'CLOSED' }, { ...won, winningOutcomeIndex: null }])('with %j has no payouts', async (more) => {
    const { rows } = await read(of(more))
    expect(rows.resolutions).toEqual([])
    expect(rows.markets).toMatchObject([{ status: 'closed' }])
  })

  test('keeps the time of its first resolution, and a row on each change', async () => {
    await read(of({ status: 'CLOSED' }))
    await read(of(won), at + 1_000_000)
    const { rows } = await read(of({ ...won, updatedAt: '2026-11-20T12:30:00Z' }), at + DAY)
    expect((rows.resolutions ?? []).map(({ ts }) => ts)).toEqual([updated])
    expect((rows.markets ?? []).map(({ status }) => status)).toEqual(['closed', 'resolved', 'resolved'])
  })

  test('keeps the group of the list', async () => {
    const [row] = (await read(of(won))).rows.markets ?? []
    if (row === undefined) throw new Error('a row')
    const listed = { ...row, seen_at: at, event_id: 'limitless:group', question: 'The winner: Ada' }
    await store(
      lake,
      { ...unit, source: 'limitless_markets', kind: 'observation', key: '' },
      { markets: [listed] },
      { at },
    )
    const { rows } = await read(of(won), at + 1_000_000)
    expect(rows.markets?.at(-1)).toMatchObject({ event_id: 'limitless:group', question: 'The winner: Ada' })
  })

  test('that does not parse is rejected; a market that is unknown is unavailable', async () => {
    const { rejected, rows } = await read(of({ status: 'DANCING' }))
    expect([rejected.length, rows.markets]).toEqual([1, []])
    expect((await read(venue({}))).state).toBe('unavailable')
  })
})

describe('the markets that are read', () => {
  const planned = async (instant: Micros = at) =>
    (await planWith(limitlessResolutions, lake, { at: instant })).map(({ key }) => key)
  const describe_ = async (n: number, more: Record<string, unknown>) => {
    const reading = await readWith(
      limitlessResolutions,
      { ...unit, key: slug(n) },
      { lake, get: fakeGet(venue({ markets: [marketBody(n, more)] })).get, at },
    )
    const observation = {
      ...unit,
      source: 'limitless_markets',
      kind: 'observation',
      key: '',
      from: at + n,
      to: at + n,
    } as const
    await store(lake, observation, { markets: reading.rows.markets ?? [] }, { at })
  }

  test('left the active list, or are named by fills and histories alone', async () => {
    await describe_(1, {})
    await describe_(2, { status: 'CLOSED' })
    const move = {
      venue: 'limitless', trader: '0x1', ts: at - 1, tx: '', kind: 'split', market_id: `limitless:${slug(3)}`, token_id: '', seq: 0,
      size: 1n, cash_usd: 1n, neg_risk_id: null, index_set: null, n_questions: null, counterparty: null,
    } // prettier-ignore
    await store(lake, { ...unit, source: 'limitless_activity', key: '0x1' }, { activity: [move], fills: [] }, { at })
    expect(await planned()).toEqual([slug(2), slug(3)])
  })

  test('were pushed as resolved, or pushed ten minutes ago and never listed; that is no reading', async () => {
    const push = async (...texts: [string, Record<string, unknown>][]) => {
      const events = texts.map(([name, payload]) => pushedLifecycle(`42/markets,${JSON.stringify([name, payload])}`))
      const rows = {
        markets: events.flatMap((event) => event?.rows.markets ?? []),
        resolutions: events.flatMap((event) => event?.rows.resolutions ?? []),
      }
      const hour: Unit = { ...unit, source: 'limitless_lifecycle', kind: 'hour', key: '', from: at - HOUR, to: at }
      await store(lake, hour, rows, { at, state: 'unverified' })
    }
    const created = (n: number, ago: Micros): [string, Record<string, unknown>] => [
      'marketCreated',
      { slug: slug(n), title: 'New?', createdAt: (at - ago) / 1000 },
    ]
    await describe_(1, {})
    await describe_(2, {})
    await push(
      ['marketResolved', { slug: slug(1), winningIndex: 0, resolutionDate: at / 1000 }],
      created(2, 20 * 60 * SECOND),
      created(3, 9 * 60 * SECOND),
      created(4, 10 * 60 * SECOND),
    )
    expect(await planned()).toEqual([slug(1), slug(4)])
    // A first reading may be earlier than the venue's own state: the market stays due until it has its winner.
    await read(of({}))
    expect(await planned()).toEqual([slug(1), slug(4)])
    await read(of(won))
    expect(await planned()).toEqual([slug(4)])
    // The fills of a market are read up to the resolution that was read.
    const [trades] = await planWith(limitlessTrades, lake, { at, keys: [slug(2)] })
    expect(trades).toMatchObject({ from: Date.parse('2026-11-01T03:04:05.678Z') * 1000, to: null })
  })

  test('are read until they are resolved, and once a day from a week after their end on', async () => {
    const ended = { status: 'CLOSED', expirationTimestamp: Date.UTC(2026, 10, 1) }
    await describe_(1, ended)
    expect(await planned()).toEqual([slug(1)])
    await read(of(ended))
    expect(await planned(at + DAY - 1)).toEqual([])
    expect(await planned(at + DAY + 1)).toEqual([slug(1)])
    await read(of(won), at + DAY + 1)
    expect(await planned(at + 3 * DAY)).toEqual([])
  })
})
