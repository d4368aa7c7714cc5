import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'

import type { RejectedRow } from '#ingest/source.ts'
import { createWorld } from '#sim/markets/world.ts'
import { serveWorld, type ServedWorld } from '#sim/server/server.ts'
import { describeMarket, parseListed } from '#sources/markets/limitless/wire/market_rows.ts'
import { quoteOf } from '#sources/markets/limitless/wire/quote_rows.ts'

import { isRecorded, recordingsDir } from './routes.ts'

/** The only recorded rows of Limitless: five active markets of June 2026. */
const file = join(recordingsDir, 'guzus__dr-manhattan', 'limitless_markets.json')
const rowsShape = z.array(z.looseObject({ prices: z.tuple([z.number(), z.number()]) }))

describe.runIf(isRecorded)('the recorded markets of Limitless', () => {
  const world = createWorld({ seed: 2, scale: 0.02 })
  let upstream: ServedWorld
  beforeAll(async () => {
    upstream = await serveWorld({ world, others: { limitless: world }, clock: () => world.now })
  })
  afterAll(() => upstream.close())
  const recorded = () => rowsShape.parse(JSON.parse(readFileSync(file, 'utf8')))

  test('parse, with the middle of the book as the price', () => {
    const rows = recorded()
    const rejected: RejectedRow[] = []
    const at = Date.UTC(2026, 5, 21, 18, 26) * 1000
    const listed = parseListed(rows, { dataset: 'markets', path: '/markets/active', rejected })
    expect([rejected, listed.length]).toEqual([[], rows.length])
    for (const [n, one] of listed.entries()) {
      expect(describeMarket(one, at)).toMatchObject({ status: 'open', starts_by: 'startAt', collateral: 'USDC' })
      const quote = quoteOf(one.market, at)
      if (quote === null) throw new Error('the recorded markets are open')
      const { bid, ask, last, volume_24h_usd } = quote
      const yes = Math.round((rows[n]?.prices[0] ?? 0) * 1e6)
      expect(volume_24h_usd).toBe(0n)
      if (bid === null || ask === null) expect([bid, ask, last, yes]).toEqual([null, null, null, 500_000])
      else expect([Number(bid + ask) / 2, Number(last)]).toEqual([yes, yes])
    }
  })

  test('have the fields that the simulated venue has', async () => {
    const response = await fetch(`${upstream.hosts.limitless}/markets/active?limit=25&page=1`, {
      headers: { 'user-agent': 'tapeline/test' },
    })
    const { data } = z.object({ data: z.array(z.record(z.string(), z.unknown())) }).parse(await response.json())
    const single = data.find((row) => !('markets' in row)) ?? {}
    const [first = {}] = recorded()
    const typeOf = (value: unknown): string => (Array.isArray(value) ? 'list' : typeof value)
    const typesOf = (row: Record<string, unknown>) => Object.keys(row).map((name) => [name, typeOf(row[name])])
    // Each field of the simulated venue has been seen, with its type.
    const known = new Set(typesOf(first).map(String))
    expect(typesOf(single).filter((field) => single[String(field[0])] !== null && !known.has(String(field)))).toEqual(
      [],
    )
    expect(Object.keys(first).filter((name) => !(name in single))).toEqual([])
  })
})
