import { z } from 'zod'

import { defineList } from '#api/contract/define.ts'

import { assertMart, explorerUrl, instant, shownInstant, text, txUrl, usd, walletOfChain } from './detail_fields.ts'

export const walletTrades = defineList({
  path: '/wallet-trades',
  summary: 'The last trades of a wallet',
  doc: `Returns the last 200 trades of a wallet on a chain within 30 days, the newest first, each with its transaction. Amounts are
null where the decimals of a token are not known, \`value\` without a price. \`pnl\` is the result of a sale over a reliable
price. All trades and lots are in the analysts' file.`,
  reads: ['scores'],
  query: walletOfChain,
  item: z
    .strictObject({
      rank: z.int().min(1).meta({ description: 'The place of the trade, from 1' }),
      timestamp: instant('The time of the trade'),
      sold_token: text('The sold contract or mint, or `native`'),
      sold_symbol: z.string().nullable().meta({ description: 'The symbol that it states; null without one' }),
      sold_amount: z.number().nullable().meta({ description: 'Whole units sold' }),
      bought_token: text('The bought contract or mint, or `native`'),
      bought_symbol: z.string().nullable().meta({ description: 'The symbol that it states; null without one' }),
      bought_amount: z.number().nullable().meta({ description: 'Whole units bought' }),
      value: usd('The value of the trade').nullable(),
      gas: usd('Its gas'),
      pnl: usd('The result of the sale').nullable(),
      protocol: text('The protocol; empty if no event names it'),
      tx: text('The transaction'),
      tx_url: txUrl,
    })
    .meta({ id: 'WalletTrade' }),
  example: {
    rank: 1,
    timestamp: '2026-02-28T09:12:44.000Z',
    sold_token: '0x4200000000000000000000000000000000000006',
    sold_symbol: 'WETH',
    sold_amount: 0.5,
    bought_token: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
    bought_symbol: 'USDC',
    bought_amount: 1650,
    value: 1650,
    gas: 0.02,
    pnl: 121.8,
    protocol: 'uniswap_v3',
    tx: '0x8f1d4b7e2a90c3d65f1e0b4a7c92d8e36f5a1b0c4d7e8f902a3b4c5d6e7f8091',
    tx_url: 'https://basescan.org/tx/0x8f1d4b7e2a90c3d65f1e0b4a7c92d8e36f5a1b0c4d7e8f902a3b4c5d6e7f8091',
  },
  rows: ({ address: { key }, chain }, snapshot) => {
    assertMart(snapshot, 'wallet_trades')
    return {
      sql: `select *, ${shownInstant('ts')} as timestamp, chain as tx_url from marts.wallet_trades
        where address = $key and chain = $chain`,
      params: { key, chain },
      order: [{ column: 'rank', type: 'INTEGER', isRank: true }],
    }
  },
  present: ({ tx_url: chain, ...row }) => ({ ...row, tx_url: explorerUrl(chain, row.tx) }),
})
