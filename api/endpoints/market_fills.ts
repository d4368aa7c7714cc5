import { z } from 'zod'

import { addressExample, showAddress } from '#api/contract/address.ts'
import { defineList } from '#api/contract/define.ts'
import * as parameter from '#api/contract/input.ts'

import { assertMart, instant, share, shownInstant, text, tradeUrl, txUrl, usd } from './detail_fields.ts'

export const marketFills = defineList({
  path: '/market-fills',
  summary: 'The last trades of a market',
  doc: `Returns the last 100 matches of a market within 30 days, the newest first, each once, by its taker. The matches of a venue
without accounts are those of 24 hours, and have no \`wallet\`.`,
  reads: ['scores'],
  query: { id: parameter.market('The market') },
  item: z
    .strictObject({
      rank: z.int().min(1).meta({ description: 'The place of the match, from 1' }),
      timestamp: instant('The time of the match'),
      wallet: z.string().nullable().meta({ description: 'The address of the taker, in EIP-55; null if unknown' }),
      outcome: text('The label of the outcome'),
      side: z.enum(['buy', 'sell']).meta({ description: 'What the taker did' }),
      price: share('The price of a share'),
      size: z.number().meta({ description: 'Shares' }),
      cash: usd('Cash before fees'),
      tx: text('The transaction, or the id of the trade at its venue'),
      tx_url: txUrl,
    })
    .meta({ id: 'MarketFill' }),
  example: {
    rank: 1,
    timestamp: '2026-02-28T09:12:44.000Z',
    wallet: addressExample,
    outcome: 'Yes',
    side: 'buy',
    price: 0.61,
    size: 120,
    cash: 73.2,
    tx: '0x8f1d4b7e2a90c3d65f1e0b4a7c92d8e36f5a1b0c4d7e8f902a3b4c5d6e7f8091',
    tx_url: 'https://polygonscan.com/tx/0x8f1d4b7e2a90c3d65f1e0b4a7c92d8e36f5a1b0c4d7e8f902a3b4c5d6e7f8091',
  },
  rows: ({ id }, snapshot) => {
    assertMart(snapshot, 'pm_market_fills')
    return {
      sql: `select rank, ${shownInstant('ts')} as timestamp, address as wallet, label as outcome, side, price, size, cash,
          tx, market_id as tx_url from marts.pm_market_fills where market_id = $id`,
      params: { id },
      order: [{ column: 'rank', type: 'INTEGER', isRank: true }],
    }
  },
  present: ({ tx_url: market_id, ...row }) => ({
    ...row,
    wallet: row.wallet === null ? null : showAddress(row.wallet),
    tx_url: tradeUrl(market_id ?? '', row.tx),
  }),
})
