import { z } from 'zod'

import { defineList } from '#api/contract/define.ts'
import * as parameter from '#api/contract/input.ts'
import { marketExample } from '#api/contract/watchlist_items.ts'

import { assertMart, instant, share, shownInstant, text, tradeUrl, txUrl, usd } from './detail_fields.ts'

export const traderFills = defineList({
  path: '/trader-fills',
  summary: 'The last fills of a trader',
  doc: `Returns the last 200 fills of a trader within 30 days, the newest first, each with its transaction. All fills are in the
analysts' file.`,
  reads: ['scores'],
  query: { address: parameter.address('The trader') },
  item: z
    .strictObject({
      rank: z.int().min(1).meta({ description: 'The place of the fill, from 1' }),
      timestamp: instant('The time of the fill'),
      market_id: text('The market: `<platform>:<native id>`'),
      question: text('Its question'),
      outcome: text('The label of the outcome'),
      side: z.enum(['buy', 'sell']).meta({ description: 'What the trader did' }),
      role: z.string().nullable().meta({ description: 'Its side of the match; null if unknown' }),
      price: share('The price of a share'),
      size: z.number().meta({ description: 'Shares' }),
      cash: usd('Cash before fees'),
      fee: usd('The fee'),
      tx: text('The transaction, or the id of the trade at its venue'),
      tx_url: txUrl,
    })
    .meta({ id: 'TraderFill' }),
  example: {
    rank: 1,
    timestamp: '2026-02-28T09:12:44.000Z',
    market_id: marketExample,
    question: 'Will the launch happen before July?',
    outcome: 'Yes',
    side: 'buy',
    role: 'taker',
    price: 0.61,
    size: 120,
    cash: 73.2,
    fee: 0.5,
    tx: '0x8f1d4b7e2a90c3d65f1e0b4a7c92d8e36f5a1b0c4d7e8f902a3b4c5d6e7f8091',
    tx_url: 'https://polygonscan.com/tx/0x8f1d4b7e2a90c3d65f1e0b4a7c92d8e36f5a1b0c4d7e8f902a3b4c5d6e7f8091',
  },
  rows: ({ address: { key } }, snapshot) => {
    assertMart(snapshot, 'pm_wallet_fills')
    return {
      sql: `select rank, ${shownInstant('ts')} as timestamp, market_id, question, label as outcome, side, role, price, size, cash,
          fee, tx, null as tx_url from marts.pm_wallet_fills where address = $key`,
      params: { key },
      order: [{ column: 'rank', type: 'INTEGER', isRank: true }],
    }
  },
  present: (row) => ({ ...row, tx_url: tradeUrl(row.market_id, row.tx) }),
})
