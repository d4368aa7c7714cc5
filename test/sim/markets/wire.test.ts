import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { createWorld } from '#sim/markets/world.ts'
import { serveWorld, type ServedWorld } from '#sim/server/server.ts'
import { openRecordings } from '#test/recordings/folder.ts'

import { ask, walkKeyset, type WireRow } from './all_pages.ts'

/** The simulated wire against what was recorded of the real one: the same fields, of the same types. */

const { folder, isRecorded } = openRecordings('prediction-markets')

describe.runIf(isRecorded)('beside the recordings', () => {
  const world = createWorld({ seed: 2, scale: 0.05 })
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
  const redeemed = world.activity.find((row) => row.kind === 'REDEEM' && row.ts_s < world.now / 1e6 && row.cash > 0)
  const user = world.traders[redeemed?.trader ?? -1]?.wallet

  test('trades and activity of version 2', async () => {
    const trades = await rowsOf(`${v2.hosts.polymarket_data}/v2/trades?limit=1000`)
    expect(shapeOf(trades)).toEqual(shapeOf(recorded('dilettante-trading__polyoxide/v2/trades.json')))
    const activity = await rowsOf(`${v2.hosts.polymarket_data}/v2/activity?user=${user}&limit=1000`)
    const plain = activity.filter((row) => row['is_combo'] === undefined)
    expect(shapeOf(plain)).toEqual(shapeOf(recorded('dilettante-trading__polyoxide/v2/activity.json')))
  })

  test('resolutions of version 2', async () => {
    const ids = world.markets.filter((market) => market.disputedAt_s === null && market.resolvedAt_s <= world.now / 1e6)
    const rows = await rowsOf(
      `${v2.hosts.polymarket_data}/v2/resolutions?condition=${ids
        .slice(0, 20)
        .map((market) => market.conditionId)
        .join()}`,
    )
    expect(shapeOf(rows)).toEqual(shapeOf(recorded('dilettante-trading__polyoxide/v2/resolutions.json')))
  })

  test('trades and activity of version 1', async () => {
    const trades = (await ask(`${v1.hosts.polymarket_data}/trades?limit=500`)).body as WireRow[]
    expect(shapeOf(trades)).toEqual(shapeOf(recorded('Achenzy-prog__Insider_Amy/trades.json')))
    const activity = (await ask(`${v1.hosts.polymarket_data}/activity?user=${user}&limit=500`)).body as WireRow[]
    expect(shapeOf(activity)).toEqual(shapeOf(recorded('starhaz3-ship-it__star-polymarket/whale1_activity.json')))
    const redeems = (rows: WireRow[]) =>
      shapeOf(rows.filter((row) => row['type'] === 'REDEEM' && row['asset'] === '' && row['outcomeIndex'] === 999))
    expect(redeems(activity)).toEqual(redeems(recorded('starhaz3-ship-it__star-polymarket/whale1_activity.json')))
  })

  test('markets of the order book', async () => {
    const { data } = (await ask(`${v2.hosts.polymarket_clob}/markets`)).body as { data: WireRow[] }
    const real = recorded('Achenzy-prog__Insider_Amy/markets.json')
    expect(Object.keys(shapeOf(data))).toEqual(Object.keys(shapeOf(real)))
    const tokens = (rows: WireRow[]) => shapeOf(rows.flatMap((row) => row['tokens'] as WireRow[]))
    expect(tokens(data)).toEqual(tokens(real))
  })

  test('markets and events of gamma: no unknown field, and every field that all real rows have', async () => {
    const pages = readdirSync(join(folder, 'wakeupnemo__polymarket-research/gamma_pages'))
    const real = pages.flatMap((page) => recorded(`wakeupnemo__polymarket-research/gamma_pages/${page}`))
    const others = readdirSync(join(folder, 'nautechsystems__nautilus_trader/test_data')).filter((name) =>
      name.startsWith('gamma_market'),
    )
    const all = [
      ...real,
      ...others.flatMap((name) => recorded(`nautechsystems__nautilus_trader/test_data/${name}`)),
      ...recorded('jm709__pscanner/market.json'),
    ]
    const marketsOf = async (query: string): Promise<WireRow[]> => {
      const { rows } = await walkKeyset(`${v2.hosts.polymarket_gamma}/markets/keyset?limit=100${query}`, 'markets')
      // Protocol V2 is documented alone: the recordings are older.
      return rows.filter((row) => row['version'] === 'v1').map(({ version: _, positionIds: __, ...row }) => row)
    }
    const open = await marketsOf('')
    const closed = await marketsOf('&closed=true')
    expectWithin(shapeOf([...open, ...closed]), shapeOf(all))
    // Left out: words that a simulation would only make up, and prices that may well be missing.
    const always = keysOfAll(real).filter((key) => !['outcomePrices', 'bestAsk'].includes(key))
    expect(always.filter((key) => !keysOfAll(open).includes(key))).toEqual([])
    const parents = (rows: WireRow[]) => shapeOf(rows.flatMap((row) => (row['events'] ?? []) as WireRow[]))
    expectWithin(parents([...open, ...closed]), {
      ...parents(all),
      ...shapeOf(recorded('jm709__pscanner/event.json')),
      negRiskMarketID: ['string'],
    })
  })

  async function rowsOf(url: string): Promise<WireRow[]> {
    return ((await ask(url)).body as { data: WireRow[] }).data
  }
})

/** The rows of a file, whichever way they are wrapped. */
function recorded(path: string): WireRow[] {
  const body = JSON.parse(readFileSync(join(folder, path), 'utf8')) as WireRow | WireRow[]
  if (Array.isArray(body)) return body
  return (body['data'] ?? (path.includes('gamma_pages') ? body['markets'] : [body])) as WireRow[]
}

/** Every key with the types that its values have, in order of name. Whole and broken numbers are one type. */
function shapeOf(rows: WireRow[]): Record<string, string[]> {
  const types = new Map<string, Set<string>>()
  for (const [key, value] of rows.flatMap((row) => Object.entries(row))) {
    const known = types.get(key) ?? new Set()
    types.set(key, known.add(value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value))
  }
  return Object.fromEntries(
    [...types].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, kinds]) => [key, [...kinds].toSorted()]),
  )
}

function keysOfAll(rows: WireRow[]): string[] {
  return Object.keys(shapeOf(rows)).filter((key) => rows.every((row) => key in row))
}

function expectWithin(shape: Record<string, string[]>, real: Record<string, string[]>): void {
  for (const [key, types] of Object.entries(shape))
    expect({ key, types, real: real[key] }).toEqual({ key, types, real: expect.arrayContaining(types) as string[] })
}
