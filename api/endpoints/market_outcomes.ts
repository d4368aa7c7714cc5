import { z } from 'zod'

import { defineList } from '#api/contract/define.ts'
import * as parameter from '#api/contract/input.ts'

import { assertMart, count, instant, share, shownInstant, text } from './detail_fields.ts'

export const marketOutcomes = defineList({
  path: '/market-outcomes',
  summary: 'The outcomes of a market, with their holders',
  doc: `Returns the outcomes of a market with its dates, and what known traders hold of each. The proven holders are the traders
whose closing line value beyond their role is above 0 at the level of 95 %. \`payout\` is null before the resolution. A venue
without accounts has no holders.`,
  reads: ['scores'],
  query: { id: parameter.market('The market') },
  item: z
    .strictObject({
      outcome: z.int().min(0).meta({ description: 'The number of the outcome; 0 is YES' }),
      label: text('Its label'),
      category: z.string().nullable().meta({ description: 'The category of the market; null without one' }),
      created_at: instant('When the market was created; null if unknown').nullable(),
      starts_at: instant('When its event starts; null if unknown').nullable(),
      ends_at: instant('When it is due to end; null if unknown').nullable(),
      closed_at: instant('When it closed; null while it is open').nullable(),
      resolved_at: instant('When it resolved; null before').nullable(),
      payout: share('What a share pays').nullable(),
      n_holders: count('Known traders that hold shares'),
      size: z.number().meta({ description: 'Shares that they hold' }),
      n_proven: count('Proven traders among them'),
      size_proven: z.number().meta({ description: 'Shares that these hold' }),
    })
    .meta({ id: 'MarketOutcome' }),
  example: {
    outcome: 0,
    label: 'Yes',
    category: 'tech',
    created_at: '2026-01-01T00:00:00.000Z',
    starts_at: null,
    ends_at: '2026-07-01T00:00:00.000Z',
    closed_at: null,
    resolved_at: null,
    payout: null,
    n_holders: 412,
    size: 91204.5,
    n_proven: 3,
    size_proven: 12040,
  },
  rows: ({ id }, snapshot) => {
    assertMart(snapshot, 'pm_market_outcomes')
    return {
      sql: `select outcome, label, category, ${shownInstant('created_at')} as created_at, ${shownInstant('starts_at')} as starts_at,
          ${shownInstant('ends_at')} as ends_at, ${shownInstant('closed_at')} as closed_at,
          ${shownInstant('resolved_at')} as resolved_at, payout, n_holders, size, n_proven, size_proven
        from marts.pm_market_outcomes where market_id = $id`,
      params: { id },
      order: [{ column: 'outcome', type: 'INTEGER' }],
    }
  },
})
