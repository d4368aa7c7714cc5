import { z } from 'zod'

import { showAddress } from '#api/contract/address.ts'
import { defineList } from '#api/contract/define.ts'

import { countedBy, traderFigures, traderOrder } from './pm_traders.ts'

const { wallet, pnl, win_rate, archetype } = traderFigures
const share = (about: string) => z.number().min(0).max(1).meta({ description: about })

export const traderRanks = defineList({
  path: '/trader-ranks',
  summary: 'Trader leaderboard with samples and uncertainty',
  doc: `Returns the traders of \`/v1/pm-traders\` in the same order, with what each figure rests on. \`n_closed\` is the
sample of \`pnl\` and \`win_rate\`. Chance gives \`expected_win_rate\` at the prices that the trader paid, and
\`win_rate_lower\` is the lower bound of the win rate at 95 %. \`clv_score\` has the standard error \`clv_se\` and the
effective sample \`clv_n_eff\`, in days of a category. It is null if it has no value, or while its closes are not
trusted.`,
  reads: ['scores'],
  query: traderOrder,
  item: z
    .strictObject({
      rank: z.int().min(1).meta({ description: 'The place in this order, from 1' }),
      wallet,
      archetype,
      pnl,
      roi: z.number().nullable().meta({ description: 'The result over the cash paid into closed markets' }),
      n_closed: z.int().min(0).meta({ description: 'Markets closed in the range' }),
      win_rate,
      win_rate_lower: share('The lower bound of the win rate, at 95 %'),
      expected_win_rate: share('The win rate that chance gives at the prices paid; null if unknown').nullable(),
      clv_score: z
        .number()
        .nullable()
        .meta({ description: 'Closing line value beyond the role, in percentage points' }),
      clv_se: z.number().nullable().meta({ description: 'Its standard error, in percentage points' }),
      clv_n_eff: z.number().nullable().meta({ description: 'Its effective sample, in days of a category' }),
    })
    .meta({ id: 'TraderRank' }),
  example: {
    rank: 1,
    wallet: '0xEFae63145ffb73Ab047e578324bcA9BaABE5E1Ad',
    archetype: 'generalist',
    pnl: 12840.11,
    roi: 0.1421,
    n_closed: 49,
    win_rate: 0.612245,
    win_rate_lower: 0.472,
    expected_win_rate: 0.534,
    clv_score: 2.41,
    clv_se: 0.8,
    clv_n_eff: 31.5,
  },
  rows: ({ sort, range, count }) => ({
    sql: `select * replace (round(roi, 6) as roi, round(clv_se, 6) as clv_se, round(clv_n_eff, 6) as clv_n_eff,
        ${countedBy(count).rank} as rank),
        lower_win_rate as win_rate_lower
      from marts.pm_traders where range = $range and sort = $sort${countedBy(count).where}`,
    params: { sort, range },
    order: [{ column: 'rank', type: 'INTEGER', isRank: true }],
  }),
  present: (row) => ({ ...row, wallet: showAddress(row.wallet) }),
})
