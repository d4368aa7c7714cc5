import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { steppedClock } from '#sim/clock.ts'
import { systemAddresses } from '#sim/markets/types.ts'
import { paddedId } from '#sim/markets/wire/indexes.ts'
import { serveWorld, type ServedWorld } from '#sim/server/server.ts'

import { ask, walkFeed, walkOffsets, type WireRow } from './all_pages.ts'
import { cashMoved, fillsIn, fillsOf, idsOf, keyOfFill, keysOf, known, now_s, world } from './facts.ts'

let v2: ServedWorld
let v1: ServedWorld
beforeAll(async () => {
  v2 = await serveWorld({ world, clock: () => world.now })
  v1 = await serveWorld({ world, clock: () => world.now, dataApi: 'v1' })
})
afterAll(async () => {
  await v2.close()
  await v1.close()
})

/** The trader with the most rows. */
const busiest = world.traders
  .map((trader) => trader.index)
  .reduce((a, b) => (fillsOf(b).length > fillsOf(a).length ? b : a))
const wallet = world.traders[busiest]?.wallet ?? ''

describe('data, version 2', () => {
  test('gives each fill of a market once: all, or those of takers by default', async () => {
    for (const market of known.slice(0, 12)) {
      const own = fillsIn(market.index)
      const url = `${v2.hosts.polymarket_data}/v2/trades?filter_amount=0.000001&condition=${paddedId(market.conditionId)}&limit=90`
      const all = (await walkFeed(`${url}&taker_only=false`)).rows
      expect(keysOf(all)).toEqual(own.map(keyOfFill).toSorted())
      expect(keysOf((await walkFeed(url)).rows)).toEqual(
        own
          .filter((fill) => world.fills.isTaker[fill] === 1)
          .map(keyOfFill)
          .toSorted(),
      )
      expect(all.every((row, i) => i === 0 || Number(row['timestamp']) <= Number(all[i - 1]?.['timestamp']))).toBe(true)
    }
  })

  test('takes up to 20 markets at once', async () => {
    const some = known.slice(10, 30)
    const url = `${v2.hosts.polymarket_data}/v2/trades?filter_amount=0.000001&taker_only=false&limit=1000&condition=`
    const { rows } = await walkFeed(url + some.map((market) => paddedId(market.conditionId)).join(','))
    expect(keysOf(rows)).toEqual(
      some
        .flatMap((market) => fillsIn(market.index))
        .map(keyOfFill)
        .toSorted(),
    )
    expect(
      (
        await ask(
          url +
            known
              .slice(0, 21)
              .map((market) => market.conditionId)
              .join(','),
        )
      ).status,
    ).toBe(400)
  })

  test('cuts pages of trades to 1,000 without a word', async () => {
    const { data, pagination } = (
      await ask(`${v2.hosts.polymarket_data}/v2/trades?filter_amount=0.000001&limit=5000&taker_only=false`)
    ).body as {
      data: WireRow[]
      pagination: { limit: number; has_more: boolean }
    }
    expect([data.length, pagination.limit, pagination.has_more]).toEqual([1000, 1000, true])
  })

  test('gives a user each of their rows once, in any window', async () => {
    const url = `${v2.hosts.polymarket_data}/v2/trades?filter_amount=0.000001&user=${wallet}&taker_only=false&limit=100&start=1`
    const whole = await walkFeed(url)
    expect(whole.nPages).toBeGreaterThan(2)
    expect(keysOf(whole.rows)).toEqual(fillsOf(busiest).map(keyOfFill).toSorted())
    const times = whole.rows.map((row) => Number(row['timestamp'])).toSorted((a, b) => a - b)
    const middle = times[times.length >> 1] ?? 0
    const before = await walkFeed(`${url}&end=${middle}`)
    const after = await walkFeed(url.replace('start=1', `start=${middle + 1}`))
    expect([...keysOf(before.rows), ...keysOf(after.rows)].toSorted()).toEqual(keysOf(whole.rows))
  })

  test('gives a whole account: trades with their cash, and all other rows; deposits only on request', async () => {
    const url = `${v2.hosts.polymarket_data}/v2/activity?user=${wallet}&limit=150&start=1`
    const { rows } = await walkFeed(`${url}&sort_direction=ASC`)
    expect((await walkFeed(url)).rows.toReversed()).toEqual(rows)
    const trades = rows.filter((row) => row['type'] === 'TRADE')
    expect(keysOf(trades)).toEqual(fillsOf(busiest).map(keyOfFill).toSorted())
    const own = world.activity.filter((row) => row.trader === busiest && row.ts_s <= now_s)
    const others = own.filter((row) => row.kind !== 'DEPOSIT' && row.kind !== 'WITHDRAWAL')
    expect(rows.length - trades.length).toBe(others.length)
    const cash = (await walkFeed(`${url}&type=DEPOSIT,WITHDRAWAL&exclude_deposits_withdrawals=false`)).rows
    expect(cash.length).toBe(own.length - others.length)
    expect((await walkFeed(`${url}&type=SPLIT`)).rows.length).toBe(own.filter((row) => row.kind === 'SPLIT').length)
    const moved = trades.reduce((sum, row) => sum + Math.round(Number(row['usdc_size']) * 1e6), 0)
    expect(moved).toBe(fillsOf(busiest).reduce((sum, fill) => sum + cashMoved(fill), 0))
  })

  test('says nothing of the index set of a conversion', async () => {
    const trader = world.activity.find((row) => row.kind === 'CONVERSION' && row.ts_s <= now_s)?.trader ?? -1
    const { rows } = await walkFeed(
      `${v2.hosts.polymarket_data}/v2/activity?user=${world.traders[trader]?.wallet}&type=CONVERSION`,
    )
    const own = world.activity.filter((row) => row.kind === 'CONVERSION' && row.trader === trader && row.ts_s <= now_s)
    expect(idsOf(rows, 'condition_id')).toEqual(own.map((row) => world.events[row.event]?.negRiskId ?? '').toSorted())
    for (const row of rows) {
      expect(row).toMatchObject({ token_id: '', outcome_index: 999, side: '' })
      expect(Object.keys(row).some((key) => key.includes('index_set'))).toBe(false)
    }
  })

  test('has cursors without filters, which continue at their position after rows were added', async () => {
    const stepped = steppedClock(world.now - 3 * 86_400e6)
    const served = await serveWorld({ world, clock: stepped.now })
    const url = `${served.hosts.polymarket_data}/v2/trades?filter_amount=0.000001&limit=50&taker_only=false`
    const first = (await ask(url)).body as { data: WireRow[]; pagination: { next_cursor: string } }
    const rest = await walkFeed(url, first.pagination.next_cursor)
    stepped.advance(3 * 86_400e6)
    const later = await ask(`${url}&cursor=${first.pagination.next_cursor}`)
    expect((later.body as { data: WireRow[] }).data).toEqual(rest.rows.slice(0, 50))
    const narrow = await ask(
      `${served.hosts.polymarket_data}/v2/trades?filter_amount=0.000001&limit=50&cursor=${first.pagination.next_cursor}`,
    )
    expect((narrow.body as { data: WireRow[] }).data.length).toBe(50)
    expect(keysOf((narrow.body as { data: WireRow[] }).data)).not.toEqual(keysOf(rest.rows.slice(0, 50)))
    await served.close()
  })

  test('the bare feed begins with the month before and holds combos and rows of the exchange', async () => {
    const { rows } = await walkFeed(
      `${v2.hosts.polymarket_data}/v2/trades?filter_amount=0.000001&limit=1000&taker_only=false`,
    )
    const oldest = new Date(Number(rows[rows.length - 1]?.['timestamp']) * 1000).toISOString()
    expect(oldest.slice(0, 7)).toBe('2026-09')
    const combos = rows.filter((row) => String(row['condition_id']).startsWith('0x03'))
    expect(combos.length / rows.length).toBeGreaterThan(0.002)
    expect(combos.length / rows.length).toBeLessThan(0.02)
    expect(combos[0]).toMatchObject({ slug: '', outcome: '', title: expect.stringContaining(' AND ') as string })
    const whole = (
      await Promise.all(
        known.map((market) =>
          walkFeed(
            `${v2.hosts.polymarket_data}/v2/trades?filter_amount=0.000001&condition=${paddedId(market.conditionId)}&limit=1000&taker_only=false`,
          ),
        ),
      )
    ).flatMap((one) => one.rows)
    expect(whole.some((row) => systemAddresses.some((address) => address === row['proxy_wallet']))).toBe(true)
    expect(whole.some((row) => combos.some((combo) => combo['condition_id'] === row['condition_id']))).toBe(false)
    expect(whole.some((row) => String(row['condition_id']).startsWith('0x01'))).toBe(true)
  })

  test('reports resolutions in millionths; pending resolutions have no payouts, disputed resolutions a price', async () => {
    const found = new Set<string>()
    for (const market of known) {
      const { data } = (
        await ask(`${v2.hosts.polymarket_data}/v2/resolutions?condition=${paddedId(market.conditionId)}`)
      ).body as {
        data: WireRow[]
      }
      const [row] = data
      if (market.kind === 'legacy' || market.proposedAt_s > now_s) expect(data).toEqual([])
      else if (market.resolvedAt_s > now_s)
        expect([row?.['payouts'], row?.['status'] === 'resolved']).toEqual([undefined, false])
      else if (market.disputedAt_s === null) expect(row).toMatchObject({ status: 'resolved', payouts: market.payouts })
      else
        expect(row).toMatchObject({ status: 'resolved', price: String(BigInt(market.payouts?.[0] ?? 0) * 10n ** 12n) })
      found.add(String(row?.['status']))
    }
    expect(found).toContain('disputed')
  })

  test('labels fresh trades late', async () => {
    const ts_s = world.matches.ts_s.findLast((at) => at <= now_s) ?? 0
    const stepped = steppedClock(ts_s * 1e6)
    const served = await serveWorld({ world, clock: stepped.now })
    const url = `${served.hosts.polymarket_data}/v2/trades?filter_amount=0.000001&limit=40&taker_only=false`
    const isMissing = (row: WireRow) => row['outcome_index'] === 999 && String(row['condition_id']).length === 66
    stepped.set(world.opensAt + 30 * 86_400e6)
    let nMissing = 0
    for (let hour = 0; hour < 48; hour++) {
      stepped.advance(3600e6)
      nMissing += ((await ask(url)).body as { data: WireRow[] }).data.filter(isMissing).length
    }
    expect(nMissing).toBeGreaterThan(0)
    stepped.set(world.endsAt + 3600e6)
    expect(((await ask(url)).body as { data: WireRow[] }).data.filter(isMissing)).toEqual([])
    await served.close()
  })

  test.each([
    ['/v2/trades?offset=5', 'offset'],
    ['/v2/trades?cursor=abc', 'cursor'],
    ['/v2/trades?condition=0x12', 'condition'],
    ['/v2/activity', 'user'],
    [`/v2/activity?user=${wallet}&limit=1001`, 'limit'],
    [`/v2/activity?user=${wallet}&type=GIFT`, 'type'],
    [`/v2/activity?user=${systemAddresses[0]}`, 'user'],
    ['/v2/resolutions', 'condition'],
  ])('refuses %s', async (path, parameter) => {
    const { status, body } = await ask(`${v2.hosts.polymarket_data}${path}`)
    expect([status, body]).toEqual([
      400,
      expect.objectContaining({ code: 'invalid_request', retryable: false, parameter }),
    ])
  })
})

describe('data, version 1', () => {
  test('answers where version 2 is not there, and the other way round', async () => {
    expect((await ask(`${v1.hosts.polymarket_data}/v2/trades`)).status).toBe(404)
    expect((await ask(`${v1.hosts.polymarket_data}/v2/resolutions`)).status).toBe(404)
    expect((await ask(`${v2.hosts.polymarket_data}/trades`)).status).toBe(404)
    expect((await ask(`${v1.hosts.polymarket_data}/trades?offset=10001`)).status).toBe(400)
    expect(((await ask(`${v1.hosts.polymarket_data}/trades`)).body as WireRow[]).length).toBe(100)
  })

  test('says the same in other words', async () => {
    const { rows: trades } = await walkFeed(
      `${v2.hosts.polymarket_data}/v2/trades?filter_amount=0.000001&user=${wallet}&start=1&taker_only=false&limit=1000`,
    )
    expect(await walkOffsets(`${v1.hosts.polymarket_data}/trades?user=${wallet}&takerOnly=false`, 300)).toEqual(
      trades.map(inWordsOfV1),
    )
    const { rows } = await walkFeed(`${v2.hosts.polymarket_data}/v2/activity?user=${wallet}&start=1&limit=1000`)
    expect(await walkOffsets(`${v1.hosts.polymarket_data}/activity?user=${wallet}`, 500)).toEqual(rows.map(inWordsOfV1))
    const market = known.find((one) => fillsIn(one.index).length > 50)
    const all = await walkOffsets(
      `${v1.hosts.polymarket_data}/trades?market=${market?.conditionId}&takerOnly=false`,
      500,
    )
    expect(all.length).toBe(fillsIn(market?.index ?? -1).length)
  })
})

test('every answer names the world; routes are counted', async () => {
  const { headers } = await ask(`${v2.hosts.polymarket_data}/v2/status`)
  expect(headers.get('x-simulated-world')).toBe('5')
  expect(v2.requests().byRoute['data /v2/status']).toBe(1)
  expect(v2.requests().total).toBe(Object.values(v2.requests().byRoute).reduce((sum, n) => sum + n, 0))
})

const words: Record<string, string> = { token_id: 'asset', usdc_size: 'usdcSize' }

function inWordsOfV1(row: WireRow): WireRow {
  return Object.fromEntries(
    Object.entries(row)
      .filter(([key]) => key !== 'is_combo')
      .map(([key, value]) => [
        words[key] ?? key.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
        value,
      ]),
  )
}
