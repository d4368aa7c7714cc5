import { z } from 'zod'

import { defineList } from '#api/contract/define.ts'
import * as parameter from '#api/contract/input.ts'

import { assertMart, count, instant, share, shownInstant, usd } from './detail_fields.ts'

export const marketHours = defineList({
  path: '/market-hours',
  summary: 'The odds and the volume of a market by hour',
  doc: `Returns the hours of a market with an observation or a trade, over 30 days. \`yes_price\` is the last middle of the book in
the hour, else the last trade, else the figure of the venue. \`bid\` and \`ask\` are the best orders for YES.`,
  reads: ['scores'],
  query: { id: parameter.market('The market') },
  item: z
    .strictObject({
      timestamp: instant('The begin of the hour'),
      yes_price: share('The implied probability of YES at the end of the hour; null if unknown').nullable(),
      bid: share('The highest bid for YES; null without one').nullable(),
      ask: share('The lowest offer of YES; null without one').nullable(),
      volume: usd('Cash traded in the hour'),
      n_matches: count('Matches in the hour'),
    })
    .meta({ id: 'MarketHour' }),
  example: {
    timestamp: '2026-02-28T09:00:00.000Z',
    yes_price: 0.635,
    bid: 0.63,
    ask: 0.64,
    volume: 4821.57,
    n_matches: 18,
  },
  rows: ({ id }, snapshot) => {
    assertMart(snapshot, 'pm_market_hours')
    return {
      sql: `select *, ${shownInstant('hour_at')} as timestamp from marts.pm_market_hours where market_id = $id`,
      params: { id },
      order: [{ column: 'timestamp', type: 'VARCHAR' }],
    }
  },
})
