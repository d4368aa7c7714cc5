import { z } from 'zod'

import { showAddress } from '#api/contract/address.ts'
import { defineList } from '#api/contract/define.ts'
import { choice } from '#api/contract/parameters.ts'

export const archetypes = [
  'unproven',
  'market_maker',
  'arbitrageur',
  'sharp',
  'fade_target',
  'value_hunter',
  'momentum_chaser',
  'longshot_hunter',
  'favorite_backer',
  'whale',
  'generalist',
] as const

export const pmTraders = defineList({
  path: '/pm-traders',
  summary: 'Trader leaderboard',
  doc: `Traders of prediction markets by \`sort\`, the highest first; ties by \`wallet\`. A trader is an address, summed
over venues. Listed are those with enough closed markets to judge by, something closed in the range, a complete history
and no wash trades. Kalshi's trades are anonymous: it has markets, not traders.

\`pnl\` is realized in the range; positions realize when their market resolves, not when they are redeemed. \`win_rate\`
is the share of the markets closed in the range that ended positive. \`clv_score\` is
closing line value: by how many percentage points a share the market later thought better of what the trader had bought,
moved towards what all traders are like as far as chance could have made it. By \`clv\` only those are listed whom at
least 10 events' worth of closes tell of. \`archetype\` is a word for how somebody trades.`,
  reads: ['scores'],
  query: {
    sort: choice(['pnl', 'win_rate', 'clv'], 'clv', 'What the list is ordered by.'),
    range: choice(
      ['30d', '90d', 'all'],
      '30d',
      'The days that the figures are about, to the instant of `X-Data-As-Of`.',
    ),
  },
  item: z
    .strictObject({
      wallet: z.string().meta({ description: 'The trading address, in EIP-55' }),
      pnl: z.number().meta({ description: 'Profit and loss in USD, realized in the range' }),
      win_rate: z.number().min(0).max(1).meta({ description: 'Markets won / markets closed in the range' }),
      clv_score: z.number().meta({ description: 'Closing line value in percentage points; higher is sharper' }),
      archetype: z.enum(archetypes).meta({ description: 'How the wallet trades, the first rule that fits' }),
    })
    .meta({ id: 'PredictionMarketTrader' }),
  example: {
    wallet: '0xEFae63145ffb73Ab047e578324bcA9BaABE5E1Ad',
    pnl: 12840.11,
    win_rate: 0.612245,
    clv_score: 0,
    archetype: 'generalist',
  },
  rows: ({ sort, range }) => ({
    sql: 'from marts.pm_traders where range = $range and sort = $sort',
    params: { sort, range },
    order: [{ column: 'rank', type: 'INTEGER' }],
  }),
  present: (row) => ({ ...row, wallet: showAddress(row.wallet) }),
})
