import { z } from 'zod'

import { showAddress } from '#api/contract/address.ts'
import { defineList } from '#api/contract/define.ts'

import { walletFigures, walletOrder, walletRows } from './discover.ts'

export const walletRanks = defineList({
  path: '/wallet-ranks',
  summary: 'On-chain wallet leaderboard with samples and uncertainty',
  doc: `Returns the wallets of \`/v1/discover\` in the same order, with figures that all cover \`range\`. \`n_closed\` is the
sample of \`pnl\` and \`win_rate\`, and \`win_rate_lower\` is the lower bound of the win rate at 95 %.`,
  reads: ['scores'],
  query: walletOrder,
  item: z
    .strictObject({
      rank: z.int().min(1).meta({ description: 'The place in this order, from 1' }),
      address: walletFigures.address,
      chain: walletFigures.chain,
      tags: walletFigures.tags,
      pnl: z.number().meta({ description: 'Profit and loss in USD, realized in the range over reliable prices' }),
      volume: z.number().min(0).meta({ description: 'Volume of its trades in USD, in the range' }),
      n_closed: z.int().min(0).meta({ description: 'Tokens sold in the range' }),
      win_rate: walletFigures.win_rate,
      win_rate_lower: z.number().min(0).max(1).meta({ description: 'The lower bound of the win rate, at 95 %' }),
    })
    .meta({ id: 'WalletRank' }),
  example: {
    rank: 1,
    address: '0xBBc264c10F54A61607A31B53358a5A87d4B045be',
    chain: 'base',
    tags: ['smart_money', 'profitable_90d'],
    pnl: 48210.57,
    volume: 912044.1,
    n_closed: 28,
    win_rate: 0.642857,
    win_rate_lower: 0.4583,
  },
  rows: (query, snapshot) => {
    const { sql, ...selection } = walletRows(query, snapshot)
    return { ...selection, sql: `select *, lower_win_rate as win_rate_lower ${sql}` }
  },
  present: (row) => ({ ...row, address: showAddress(row.address) }),
})
