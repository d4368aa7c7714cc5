import { z } from 'zod'

import { defineList } from '#api/contract/define.ts'

import { assertMart, count, instant, shownInstant, text, usd, walletOfChain } from './detail_fields.ts'

export const walletTokens = defineList({
  path: '/wallet-tokens',
  summary: 'The result of a wallet in each token',
  doc: `Returns the tokens that a wallet traded on a chain, by the last trade in descending order, with the result of each. Any
contract may give itself any \`symbol\`.`,
  reads: ['scores'],
  query: walletOfChain,
  item: z
    .strictObject({
      token: text('The contract or the mint, or `native`'),
      symbol: z.string().nullable().meta({ description: 'The symbol that it states; null without one' }),
      bought: usd('Value bought'),
      sold: usd('Value sold'),
      realized_all_time: usd('The realized result'),
      unranked_all_time: usd('Results without a reliable price, no part of `realized_all_time`'),
      unmatched: usd('Proceeds without a known purchase'),
      n_matched: count('Sales of known purchases'),
      last_at: instant('The last trade of it'),
    })
    .meta({ id: 'WalletToken' }),
  example: {
    token: '0x4200000000000000000000000000000000000006',
    symbol: 'WETH',
    bought: 1200,
    sold: 900.5,
    realized_all_time: 121.8,
    unranked_all_time: 0,
    unmatched: 0,
    n_matched: 3,
    last_at: '2026-02-28T09:12:44.000Z',
  },
  rows: ({ address: { key }, chain }, snapshot) => {
    assertMart(snapshot, 'wallet_tokens')
    return {
      sql: `select * replace (${shownInstant('last_at')} as last_at) from marts.wallet_tokens
        where address = $key and chain = $chain`,
      params: { key, chain },
      order: [
        { column: 'last_at', type: 'VARCHAR', isDescending: true },
        { column: 'token', type: 'VARCHAR' },
      ],
    }
  },
})
