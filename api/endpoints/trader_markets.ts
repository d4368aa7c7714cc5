import { z } from 'zod'

import { defineList } from '#api/contract/define.ts'
import * as parameter from '#api/contract/input.ts'
import { marketExample } from '#api/contract/watchlist_items.ts'

import { assertMart, instant, shownInstant, text, usd } from './detail_fields.ts'

export const traderMarkets = defineList({
  path: '/trader-markets',
  summary: 'The result of a trader in each market',
  doc: `Returns the markets in which a trader ever held shares, by the last trade in descending order, with the result of each. A
market is closed for the trader when it resolves, or when the trader has left it.`,
  reads: ['scores'],
  query: {
    address: parameter.address('The trader'),
    status: parameter.choice(['open', 'closed', 'all'], 'all', 'Whether the market is closed for the trader.'),
  },
  item: z
    .strictObject({
      market_id: text('The market: `<platform>:<native id>`'),
      question: text('Its question'),
      cost: usd('Cash paid in'),
      pnl: usd('The realized result'),
      volume: usd('Cash traded'),
      last_at: instant('The last trade in it'),
      closed_at: instant('When it closed for the trader; null while it is open').nullable(),
    })
    .meta({ id: 'TraderMarket' }),
  example: {
    market_id: marketExample,
    question: 'Will the launch happen before July?',
    cost: 640.2,
    pnl: 121.8,
    volume: 1402.2,
    last_at: '2026-02-28T09:12:44.000Z',
    closed_at: null,
  },
  rows: ({ address: { key }, status }, snapshot) => {
    assertMart(snapshot, 'pm_wallet_markets')
    return {
      sql: `select market_id, question, cost, pnl, volume, ${shownInstant('last_at')} as last_at,
          ${shownInstant('closed_at')} as closed_at
        from marts.pm_wallet_markets where address = $key and $status in ('all', if(closed_at is null, 'open', 'closed'))`,
      params: { key, status },
      order: [
        { column: 'last_at', type: 'VARCHAR', isDescending: true },
        { column: 'market_id', type: 'VARCHAR' },
      ],
    }
  },
})
