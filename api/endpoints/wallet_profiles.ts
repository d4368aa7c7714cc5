import { z } from 'zod'

import { addressExample, showAddress } from '#api/contract/address.ts'
import { defineList } from '#api/contract/define.ts'
import * as parameter from '#api/contract/input.ts'

import { assertMart, count, share, text, usd } from './detail_fields.ts'
import { walletTags } from './discover.ts'
import { behaviors } from './wallet_figures.ts'

export const walletProfiles = defineList({
  path: '/wallet-profiles',
  summary: 'All figures of a wallet on each of its chains',
  doc: `Returns the record of a wallet on each chain where it traded, the chain with the largest volume of 30 days first. The
list is empty for an address without a stored trade. The request reads the published snapshot alone; \`/v1/wallet\` also
requests the reading of an address, and reads its balances.`,
  reads: ['scores'],
  query: { address: parameter.address('The wallet') },
  item: z
    .strictObject({
      address: text('The address: EIP-55, or base58 on Solana'),
      chain: text('The slug of the chain'),
      tags: z.array(z.enum(walletTags)).meta({ description: 'All tags whose rule the wallet meets' }),
      behavior_archetype: z.enum(behaviors).meta({ description: 'Trading style: the first matching rule' }),
      is_complete: z.boolean().meta({ description: 'Whether each larger sale has a known purchase' }),
      unlisted_reason: z.string().nullable().meta({ description: 'Why it is in no leaderboard; null if it is' }),
      realized_30d: usd('Profit and loss, realized in 30 days'),
      realized_all_time: usd('Profit and loss, realized in all time'),
      unranked_30d: usd('Results of 30 days in tokens without a reliable price, no part of the realized ones'),
      unranked_all_time: usd('The same of all time'),
      unmatched: usd('Proceeds without a known purchase, which are no profit'),
      gas: usd('Gas of transactions without a trade'),
      volume_30d: usd('Volume of its trades in 30 days'),
      n_closed: count('Tokens sold: the sample of `win_rate`'),
      n_won: count('Tokens sold at a profit'),
      win_rate: share('Tokens sold at a profit / tokens sold'),
      win_rate_lower: share('The lower bound of the win rate, at 95 %'),
    })
    .meta({ id: 'WalletFigures' }),
  example: {
    address: addressExample,
    chain: 'base',
    tags: ['smart_money', 'profitable_90d'],
    behavior_archetype: 'swing_trader',
    is_complete: true,
    unlisted_reason: null,
    realized_30d: 48210.57,
    realized_all_time: 310442.9,
    unranked_30d: 120.4,
    unranked_all_time: -15.25,
    unmatched: 0,
    gas: 12.2,
    volume_30d: 912044.1,
    n_closed: 28,
    n_won: 18,
    win_rate: 0.642857,
    win_rate_lower: 0.4583,
  },
  rows: ({ address: { key } }, snapshot) => {
    assertMart(snapshot, 'wallet_days')
    return {
      sql: `select *, gas_outside_trades as gas, if(n_closed > 0, round(n_won / n_closed, 6), 0) as win_rate,
          lower_win_rate as win_rate_lower from marts.wallet where address = $key`,
      params: { key },
      order: [
        { column: 'volume_30d', type: 'DECIMAL(38,2)', isDescending: true },
        { column: 'chain', type: 'VARCHAR' },
      ],
    }
  },
  present: (row) => ({ ...row, address: showAddress(row.address) }),
})
