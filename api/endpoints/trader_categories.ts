import { z } from 'zod'

import { defineList } from '#api/contract/define.ts'
import * as parameter from '#api/contract/input.ts'

import { assertMart, count, share, text, usd } from './detail_fields.ts'

export const traderCategories = defineList({
  path: '/trader-categories',
  summary: 'The exposure of a trader by category',
  doc: `Returns what a trader paid into markets of each category over all time, and the result, by cost in descending order. Markets
count from 1 USD paid in. The category of a market without one is the empty text.`,
  reads: ['scores'],
  query: { address: parameter.address('The trader') },
  item: z
    .strictObject({
      category: text('The category of the markets'),
      n_markets: count('Markets'),
      n_closed: count('Markets closed'),
      cost: usd('Cash paid in'),
      pnl: usd('The result'),
      cost_share: share('The part of its cost in all categories'),
    })
    .meta({ id: 'TraderCategory' }),
  example: { category: 'sports', n_markets: 31, n_closed: 30, cost: 9120.5, pnl: 812.4, cost_share: 0.71 },
  rows: ({ address: { key } }, snapshot) => {
    assertMart(snapshot, 'pm_wallet_categories')
    return {
      sql: `from marts.pm_wallet_categories where address = $key`,
      params: { key },
      order: [
        { column: 'cost', type: 'DECIMAL(18,2)', isDescending: true },
        { column: 'category', type: 'VARCHAR' },
      ],
    }
  },
})
