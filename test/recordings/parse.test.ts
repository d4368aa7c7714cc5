import { describe, expect, test } from 'vitest'
import { z } from 'zod'

import type { RejectedRow } from '#ingest/source.ts'
import { numberedFills } from '#sources/markets/fills.ts'
import { parseLedger, toActivity, toLedgerFill } from '#sources/markets/polymarket/wire/activity_rows.ts'
import { clobMarket, describeClobMarket, resolutionOf } from '#sources/markets/polymarket/wire/clob_rows.ts'
import {
  describeMarket,
  gammaEvent,
  gammaMarket,
  quoteOf,
  tagsOf,
} from '#sources/markets/polymarket/wire/gamma_rows.ts'
import { resolutionRow } from '#sources/markets/polymarket/wire/resolution_rows.ts'
import { notional, toFill, tradeRow, underV2Names } from '#sources/markets/polymarket/wire/trade_rows.ts'
import { parseRows } from '#sources/markets/polymarket/wire/types.ts'

import { positionRow } from './positions.ts'
import { isRecorded, recordedRows, recordingsDir, routeOf, routes, type RecordedRoute } from './routes.ts'

const seen_at = Date.UTC(2026, 10, 20) * 1000
const owner = z.preprocess(underV2Names, z.object({ proxy_wallet: z.string() }))

/** Reads rows as the source would, down to the rows of the lake; gives back what it refused. */
const parsers: Record<
  RecordedRoute['row'],
  (bodies: unknown[], path: string) => { rejected: RejectedRow[]; n_rows: number }
> = {
  market: (bodies, path) => {
    const rejected: RejectedRow[] = []
    const markets = parseRows(bodies, gammaMarket, { dataset: 'markets', path, rejected })
    const rows = markets.map((market) => describeMarket(market, seen_at))
    for (const market of markets) quoteOf(market, seen_at)
    return { rejected, n_rows: rows.length }
  },
  event: (bodies, path) => {
    const rejected: RejectedRow[] = []
    const tags = parseRows(bodies, gammaEvent, { dataset: 'markets', path, rejected }).map(tagsOf)
    return { rejected, n_rows: tags.length }
  },
  'clob market': (bodies, path) => {
    const rejected: RejectedRow[] = []
    const markets = parseRows(bodies, clobMarket, { dataset: 'markets', path, rejected })
    for (const market of markets) resolutionOf(market, seen_at)
    return { rejected, n_rows: markets.map((market) => describeClobMarket(market, seen_at)).length }
  },
  trade: (bodies, path) => {
    const rejected: RejectedRow[] = []
    const trades = parseRows(bodies, tradeRow, { dataset: 'fills', path, rejected })
    const fills = trades.map((trade) => toFill(trade, { role: null, cash_usd: notional(trade), fee_usd: null }))
    return { rejected, n_rows: numberedFills(fills).length }
  },
  activity: (bodies, path) => {
    const rejected: RejectedRow[] = []
    let n_rows = 0
    for (const user of new Set(bodies.map((body) => owner.parse(body).proxy_wallet))) {
      const own = bodies.filter((body) => owner.parse(body).proxy_wallet === user)
      const { trades, others } = parseLedger(own, user, { path, rejected })
      n_rows += numberedFills(trades.map(toLedgerFill)).length + others.map(toActivity).length
    }
    return { rejected, n_rows }
  },
  position: (bodies, path) => {
    const rejected: RejectedRow[] = []
    return { n_rows: parseRows(bodies, positionRow, { dataset: 'fills', path, rejected }).length, rejected }
  },
  resolution: (bodies, path) => {
    const rejected: RejectedRow[] = []
    return { n_rows: parseRows(bodies, resolutionRow, { dataset: 'resolutions', path, rejected }).length, rejected }
  },
}

const comboId = /^0x[0-9a-f]{62}$/i
const isCombo = (body: Record<string, unknown>): boolean =>
  comboId.test(String(body['conditionId'] ?? body['condition_id']))

test('recordings are there', ({ skip }) => {
  const message = `no recordings in ${recordingsDir}, so that no real row was parsed: RECORDINGS_DIR names their folder`
  skip(!isRecorded && process.env['CI'] !== 'true', message)
  expect(isRecorded, message).toBe(true)
})

describe.runIf(isRecorded)('every recorded row', () => {
  const table: Record<string, string | number>[] = []

  test.each(routes)('of $host $route parses', (entry) => {
    const bodies = recordedRows(entry)
    const { rejected, n_rows } = parsers[entry.row](bodies, entry.route)
    const combos = bodies.filter(isCombo)
    const bad = rejected.filter(({ body }) => !combos.includes(body as Record<string, unknown>))
    table.push({
      route: `${entry.host} ${entry.route}`,
      files: entry.files.length,
      rows: bodies.length,
      parsed: n_rows,
      combos: combos.length,
      quarantined: rejected.length,
      reasons: [...new Set(rejected.map(({ reason }) => reason))].join(' | ').slice(0, 120),
    })
    expect(bodies.length).toBeGreaterThan(0)
    expect(n_rows + rejected.length).toBe(bodies.length)
    expect(bad.length / (bodies.length - combos.length)).toBeLessThanOrEqual(0.01)
  })

  test('is counted', () => {
    const columns = Object.keys(table[0] ?? {})
    const widths = columns.map((name) => Math.max(name.length, ...table.map((row) => String(row[name]).length)))
    const line = (cells: unknown[]) =>
      cells
        .map((cell, i) => String(cell).padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd()
    console.log([line(columns), ...table.map((row) => line(columns.map((name) => row[name])))].join('\n'))
    expect(table).toHaveLength(routes.length)
  })
})

describe.runIf(isRecorded)('what the recorded rows say', () => {
  test('trades have the cash of a sum in floats, and no trade is lost', () => {
    const bodies = recordedRows(routeOf('/trades'))
    const trades = parseRows(bodies, tradeRow, { dataset: 'fills', path: '', rejected: [] })
    const cash = trades.reduce((sum, trade) => sum + notional(trade), 0n)
    const floats = bodies.reduce((sum, body) => sum + Number(body['size']) * Number(body['price']), 0)
    expect(Number(cash) / 1e6).toBeCloseTo(floats, 2)
    const fills = numberedFills(trades.map((trade) => toFill(trade, { role: null, cash_usd: null, fee_usd: null })))
    expect(fills).toHaveLength(3500)
  })

  test('a neg-risk market’s question id holds its place in the group', () => {
    const markets = recordedRows(routeOf('/markets/keyset')).filter(
      (body) => body['negRisk'] === true && body['negRiskMarketID'],
    )
    expect(markets.length).toBeGreaterThan(50)
    for (const body of markets) {
      const { neg_risk_index } = describeMarket(gammaMarket.parse(body), seen_at)
      const { neg_risk_index: byThreshold } = describeMarket(gammaMarket.parse({ ...body, questionID: '' }), seen_at)
      expect(neg_risk_index).toBe(byThreshold)
    }
  })

  test('the fee of a v2 trade is its rate x shares x p x (1 - p)', () => {
    const [body] = recordedRows(routeOf('/v2/activity'))
    const user = owner.parse(body).proxy_wallet
    const [trade] = parseLedger([body], user, { path: '', rejected: [] }).trades.map(toLedgerFill)
    const shares = Number(trade?.size) / 1e6
    const price = Number(trade?.price) / 1e6
    expect(Number(trade?.fee_usd) / 1e6).toBeCloseTo(0.05 * shares * price * (1 - price), 4)
  })
})
