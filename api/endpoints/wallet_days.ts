import { z } from 'zod'

import { defineList } from '#api/contract/define.ts'

import { assertMart, day, usd, walletOfChain } from './detail_fields.ts'

export const walletDays = defineList({
  path: '/wallet-days',
  summary: 'The result of a wallet by day',
  doc: `Returns the UTC days on which a wallet traded on a chain, over all time. \`equity\` is the realized result so far over
tokens with a reliable price, and \`drawdown\` its fall from the highest earlier \`equity\`, or from 0. The last \`equity\` is the
\`realized_all_time\` of \`/v1/wallet-profiles\`.`,
  reads: ['scores'],
  query: walletOfChain,
  item: z
    .strictObject({
      day,
      pnl: usd('The result realized on the day'),
      unranked: usd('Its results in tokens without a reliable price, no part of `pnl`'),
      equity: usd('The result realized so far'),
      drawdown: usd('The fall of `equity` from its peak'),
      bought: usd('Value bought on the day'),
      sold: usd('Value sold on the day'),
    })
    .meta({ id: 'WalletDay' }),
  example: { day: '2026-02-14', pnl: 120.4, unranked: 0, equity: 12840.11, drawdown: 0, bought: 912.4, sold: 1032.8 },
  rows: ({ address: { key }, chain }, snapshot) => {
    assertMart(snapshot, 'wallet_days')
    return {
      sql: `select * replace (day::varchar as day) from marts.wallet_days where address = $key and chain = $chain`,
      params: { key, chain },
      order: [{ column: 'day', type: 'VARCHAR' }],
    }
  },
})
