import { z } from 'zod'

import { addressExample, showAddress } from '#api/contract/address.ts'
import { defineList } from '#api/contract/define.ts'
import * as parameter from '#api/contract/input.ts'

import { assertMart, text, usd } from './detail_fields.ts'
import { archetypes } from './pm_traders.ts'

export const marketHolders = defineList({
  path: '/market-holders',
  summary: 'The largest holders of a market',
  doc: `Returns the 50 largest known holders of each outcome of a market, by outcome and rank. A venue without accounts has none.`,
  reads: ['scores'],
  query: { id: parameter.market('The market') },
  item: z
    .strictObject({
      outcome: z.int().min(0).meta({ description: 'The number of the outcome; 0 is YES' }),
      rank: z.int().min(1).meta({ description: 'The place among the holders of the outcome, from 1' }),
      wallet: text('The address of the holder, in EIP-55'),
      archetype: z.enum(archetypes).meta({ description: 'Trading style: the first matching rule' }),
      is_proven: z.boolean().meta({ description: 'Whether it is a proven trader, as in `/v1/market-outcomes`' }),
      size: z.number().meta({ description: 'Shares held' }),
      cost: usd('What they cost'),
    })
    .meta({ id: 'MarketHolder' }),
  example: {
    outcome: 0,
    rank: 1,
    wallet: addressExample,
    archetype: 'sharp',
    is_proven: true,
    size: 12040,
    cost: 6110.2,
  },
  rows: ({ id }, snapshot) => {
    assertMart(snapshot, 'pm_market_holders')
    return {
      sql: `select *, address as wallet from marts.pm_market_holders where market_id = $id`,
      params: { id },
      order: [
        { column: 'outcome', type: 'INTEGER' },
        { column: 'rank', type: 'INTEGER' },
      ],
    }
  },
  present: (row) => ({ ...row, wallet: showAddress(row.wallet) }),
})
