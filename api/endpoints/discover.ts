import { z } from 'zod'

import { showAddress } from '#api/contract/address.ts'
import { defineList } from '#api/contract/define.ts'
import type { Selection } from '#api/contract/endpoint.ts'
import { notReady } from '#api/contract/errors.ts'
import * as parameter from '#api/contract/input.ts'
import type { Snapshot } from '#snapshots/marts.ts'

export const walletTags = [
  'smart_money',
  'whale',
  'fresh_wallet',
  'multi_chain',
  'stable_heavy',
  'high_frequency',
  'bot_like',
  'sandwich_like',
  'wash_like',
  'early_buyer',
  'contract',
  'profitable_90d',
  'losing_90d',
] as const

/** The parameters of a leaderboard of wallets. */
export const walletOrder = {
  chain: parameter.chain('The chain of the wallets', ['all']).default('all').meta({ default: 'all' }),
  sort: parameter.choice(['pnl', 'volume', 'win_rate'], 'pnl', 'The sort field, in descending order.'),
  range: parameter.choice(['7d', '30d', '90d'], '30d', 'The period of the order, which ends at `X-Data-As-Of`.'),
}

/** The figures that both leaderboards of wallets have. */
export const walletFigures = {
  address: z.string().meta({ description: 'The address of the wallet: EIP-55, or base58 on Solana' }),
  chain: z.string().meta({ description: 'The slug of the chain where the wallet is ranked' }),
  win_rate: z.number().min(0).max(1).meta({ description: 'Tokens sold at a profit / tokens sold, in the range' }),
  tags: z.array(z.enum(walletTags)).meta({ description: 'All tags whose rule the wallet meets' }),
}

/** The rows of a leaderboard of wallets, in its order. Throws a 503 without the mart. */
export const walletRows = (
  { chain, sort, range }: Record<keyof typeof walletOrder, string>,
  { tables }: Snapshot,
): Selection => {
  if (!tables.has('discover')) throw notReady(noMart)
  return {
    sql: 'from marts.discover where scope = $chain and range = $range and sort = $sort',
    params: { chain, sort, range },
    order: [{ column: 'rank', type: 'INTEGER', isRank: true }],
  }
}

export const discover = defineList({
  path: '/discover',
  summary: 'On-chain wallet leaderboard',
  doc: `Returns wallets in descending order of \`sort\`; ties are ordered by \`address\`, then by \`chain\`. A wallet has a
row for each of its chains; \`chain=all\` ranks them together. A listed wallet has enough trades and closed tokens, a
token closed in the range, a complete history and no wash trades.

\`range\` is the period of the order and of \`win_rate\`. \`pnl_30d\` and \`volume_30d\` always cover 30 days, so
with another range the order by \`pnl\` or \`volume\` is not theirs. \`pnl_30d\` is realized by sales, first in, first out,
gas included, over tokens with a reliable price: \`pnl.realized_30d\` of \`/v1/wallet\`. Results in other tokens are
\`unranked_30d\`, and the order by \`pnl\` leaves them out. \`win_rate\` is the share of sold tokens with a profit in the range;
\`sort=win_rate\` lists only wallets with at least 10 of them.`,
  reads: ['scores'],
  query: walletOrder,
  item: z
    .strictObject({
      address: walletFigures.address,
      chain: walletFigures.chain,
      pnl_30d: z
        .number()
        .meta({ description: 'Profit and loss in USD, realized in 30 days; `pnl.realized_30d` of `/v1/wallet`' }),
      unranked_30d: z
        .number()
        .meta({ description: 'Results of 30 days in USD in tokens without a reliable price, no part of `pnl_30d`' }),
      volume_30d: z.number().min(0).meta({ description: 'Volume of its trades in USD, in 30 days' }),
      win_rate: walletFigures.win_rate,
      tags: walletFigures.tags,
    })
    .meta({ id: 'DiscoveredWallet' }),
  example: {
    address: '0xBBc264c10F54A61607A31B53358a5A87d4B045be',
    chain: 'base',
    pnl_30d: 48210.57,
    unranked_30d: 120.4,
    volume_30d: 912044.1,
    win_rate: 0.642857,
    tags: ['smart_money', 'profitable_90d'],
  },
  rows: walletRows,
  present: (row) => ({ ...row, address: showAddress(row.address) }),
})

const noMart = 'the snapshot of scores is of a version without wallets ("tapeline score" publishes a new one)'
