import { z } from 'zod'

import { showAddress } from '#api/contract/address.ts'
import { complete, coverageHeader, partial } from '#api/contract/coverage.ts'
import { defineList } from '#api/contract/define.ts'
import { choice } from '#api/contract/input.ts'
import { anonymousLabels } from '#registry/venues/index.ts'

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

/** The header of an answer with closing line values that mean nothing now: the kinds of closes, or their figures. */
export const closesNotTrusted = (...guards: readonly string[]) =>
  partial(`closes are not trusted now, and clv_score is missing for them: ${guards.join('; ')}`)

/** The parameters of a leaderboard of traders. */
export const traderOrder = {
  sort: choice(['pnl', 'win_rate', 'clv'], 'clv', 'The sort field, in descending order.'),
  range: choice(['30d', '90d', 'all'], '30d', 'The period of the figures, which ends at `X-Data-As-Of`.'),
  count: choice(
    ['wallets', 'groups'],
    'wallets',
    'What counts: each wallet, or of the wallets that act as one only the best placed.',
  ),
}

/** The condition and the rank of a leaderboard. A snapshot of an earlier version has each wallet only. */
export const countedBy = (count: 'wallets' | 'groups'): { where: string; rank: string } =>
  count === 'groups' ? { where: ' and rank_once is not null', rank: 'rank_once' } : { where: '', rank: 'rank' }

/** The figures that both leaderboards of traders have. */
export const traderFigures = {
  wallet: z.string().meta({ description: 'The address of the trader, in EIP-55' }),
  pnl: z.number().meta({ description: 'Profit and loss in USD, realized in the range' }),
  win_rate: z.number().min(0).max(1).meta({ description: 'Markets won / markets closed in the range' }),
  archetype: z.enum(archetypes).meta({ description: 'Trading style: the first matching rule' }),
}

export const pmTraders = defineList({
  path: '/pm-traders',
  summary: 'Trader leaderboard',
  doc: `Returns traders in descending order of \`sort\`; ties are ordered by \`wallet\`. A trader is an address, summed over
all venues. A listed trader has enough closed markets, at least one market closed in the range (10 for
\`sort=win_rate\`), a complete history, and less than a fifth of its volume with itself or with one partner. An
anonymous venue (${anonymousLabels}) has no traders.

\`pnl\` is realized in the range. A position is realized when its market resolves, not when it is redeemed. \`win_rate\`
is the share of markets closed in the range with a profit. \`clv_score\` is closing line value beyond the trader's role:
the closing price minus the price paid, in percentage points per share, shrunk towards the mean of traders who get their
fills alike by the share of its variance that is chance, minus that mean if it is above 0. \`sort=clv\` lists only
traders with an effective sample of at least 10 days of a category.

Wallets act as one if they make the same bets one after the other far beyond chance: wallets of one owner, or copiers of
a leader. With \`count=groups\` a list has only the best placed of them.

While the tests of the closes do not hold, the \`clv_score\` that rests on them is 0, \`sort=clv\` does not list it, and
\`X-Coverage\` names the closes and the figures that are off.`,
  reads: ['scores'],
  headers: coverageHeader('closes are not trusted now'),
  coverage: async (snapshot) => {
    // A snapshot of an earlier version has no guards.
    if (!snapshot.tables.has('clv_guards')) return complete
    const broken = await snapshot.query('select * from marts.clv_guards where is_held = false order by kind', {})
    // A snapshot of an earlier version has no reason.
    return broken.length > 0 ? closesNotTrusted(...broken.map(({ kind, reason }) => String(reason ?? kind))) : complete
  },
  query: traderOrder,
  item: z
    .strictObject({
      wallet: traderFigures.wallet,
      pnl: traderFigures.pnl,
      win_rate: traderFigures.win_rate,
      clv_score: z.number().meta({ description: 'Closing line value beyond the role, in percentage points' }),
      archetype: traderFigures.archetype,
    })
    .meta({ id: 'PredictionMarketTrader' }),
  example: {
    wallet: '0xEFae63145ffb73Ab047e578324bcA9BaABE5E1Ad',
    pnl: 12840.11,
    win_rate: 0.612245,
    clv_score: 0,
    archetype: 'generalist',
  },
  rows: ({ sort, range, count }) => ({
    sql: `select * replace (coalesce(clv_score, 0) as clv_score, ${countedBy(count).rank} as rank)
      from marts.pm_traders where range = $range and sort = $sort${countedBy(count).where}`,
    params: { sort, range },
    order: [{ column: 'rank', type: 'INTEGER', isRank: true }],
  }),
  present: (row) => ({ ...row, wallet: showAddress(row.wallet) }),
})
