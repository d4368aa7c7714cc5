import { z } from 'zod'

import { defineList } from '#api/contract/define.ts'

import { assertMart, instant, shownInstant, text, usd, walletOfChain } from './detail_fields.ts'

export const walletHoldings = defineList({
  path: '/wallet-holdings',
  summary: 'The last known holdings of a wallet',
  doc: `Returns the tokens that a wallet held on a chain when they were last seen, the most valuable first, at the last known
prices. \`/v1/wallet\` reads the balances of now. Tokens without a price, and less than a cent, are left out.`,
  reads: ['scores'],
  query: walletOfChain,
  item: z
    .strictObject({
      rank: z.int().min(1).meta({ description: 'The place by value, from 1' }),
      token: text('The symbol of a listed token, else its address'),
      contract: text('The contract or the mint, or `native`'),
      amount: z.number().min(0).meta({ description: 'Whole units' }),
      usd_value: usd('The value at the last known price'),
      seen_at: instant('When the balance was seen'),
    })
    .meta({ id: 'WalletHolding' }),
  example: {
    rank: 1,
    token: 'ETH',
    contract: 'native',
    amount: 12.5,
    usd_value: 41250,
    seen_at: '2026-02-28T09:12:44.000Z',
  },
  rows: ({ address: { key }, chain }, snapshot) => {
    assertMart(snapshot, 'holdings')
    return {
      sql: `select * replace (${shownInstant('seen_at')} as seen_at) from marts.holdings where address = $key and chain = $chain`,
      params: { key, chain },
      order: [{ column: 'rank', type: 'INTEGER', isRank: true }],
    }
  },
})
