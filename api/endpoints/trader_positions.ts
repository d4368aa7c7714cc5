import { z } from 'zod'

import { defineList } from '#api/contract/define.ts'
import * as parameter from '#api/contract/input.ts'
import { marketExample } from '#api/contract/watchlist_items.ts'

import { assertMart, instant, share, shownInstant, text, usd } from './detail_fields.ts'

export const traderPositions = defineList({
  path: '/trader-positions',
  summary: 'The shares that a trader holds',
  doc: `Returns the shares that a trader holds in markets without a resolution, by cost in descending order. \`value\` is their
worth at the odds of the market as of the scores; \`price\` and \`value\` are null without odds.`,
  reads: ['scores'],
  query: { address: parameter.address('The trader') },
  item: z
    .strictObject({
      market_id: text('The market: `<platform>:<native id>`'),
      question: text('Its question'),
      outcome: text('The label of the outcome'),
      size: z.number().meta({ description: 'Shares held' }),
      price: share('The price of a share').nullable(),
      cost: usd('What the shares cost'),
      value: usd('Their worth').nullable(),
      last_at: instant('The last trade of the shares'),
    })
    .meta({ id: 'TraderPosition' }),
  example: {
    market_id: marketExample,
    question: 'Will the launch happen before July?',
    outcome: 'Yes',
    size: 1200,
    price: 0.635,
    cost: 640.2,
    value: 762,
    last_at: '2026-02-28T09:12:44.000Z',
  },
  rows: ({ address: { key } }, snapshot) => {
    assertMart(snapshot, 'pm_wallet_positions')
    return {
      sql: `select market_id, question, label as outcome, size, price, cost, "value", ${shownInstant('last_at')} as last_at
        from marts.pm_wallet_positions where address = $key`,
      params: { key },
      order: [
        { column: 'cost', type: 'DECIMAL(18,2)', isDescending: true },
        { column: 'market_id', type: 'VARCHAR' },
        { column: 'outcome', type: 'VARCHAR' },
      ],
    }
  },
})
