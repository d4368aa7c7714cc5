import { z } from 'zod'

import { defineSource } from '#ingest/source.ts'
import { inPathOrder, unitOf } from '#ingest/units.ts'
import { numbered, numberedFills } from '#sources/markets/fills.ts'

import { manifoldHost, rowsAt, VENUE } from './hosts.ts'
import { activityOf, fillOf, moveRow, tradeRow } from './rows.ts'

const source = { name: 'manifold_accounts', unit: 'history', part: VENUE } as const

/** All that an account did. */
export const manifoldAccounts = defineSource({
  ...source,
  doc: 'All that an account of Manifold did.',
  parts: [{ name: VENUE, upstreams: [manifoldHost] }],
  datasets: ['activity', 'fills'],
  isEndless: true,
  addresses: 'evm',
  precedence: 20,
  lag_s: 0,
  settle_s: 600,
  grid_s: 300,
  follow: { group: 'histories' },
  typical: { requests: 2, rows: 100, bytes: 10_000 },
  plan: async ({ lake, keys }) => {
    const rows = await lake.query(
      "select distinct trader from lake.fills where source = 'manifold_trades'",
      z.object({ trader: z.string() }),
      {},
      { fills: ['manifold_trades/'] },
    )
    const accounts = keys.length > 0 ? keys : rows.map(({ trader }) => trader)
    return inPathOrder(accounts.map((key) => unitOf(source, { key, from: 0 })))
  },
  read: async ({ key }, { get, until }) => {
    const trades = await rowsAt(get, `/accounts/${key}/trades`, tradeRow)
    const moves = await rowsAt(get, `/accounts/${key}/moves`, moveRow)
    const fills = trades.map((trade) => ({ ...fillOf(trade), role: null })).filter(({ ts }) => ts < until)
    const activity = numbered(
      moves.map(activityOf).filter(({ ts }) => ts < until),
      ({ ts, tx, kind, market_id }) => [ts, tx, kind, market_id].join(),
      ({ size, cash_usd }) => [size, cash_usd].join(),
    )
    return { rows: { fills: numberedFills(fills), activity }, rejected: [], state: 'complete', proof: 'two lists' }
  },
})
