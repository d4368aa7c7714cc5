import { z } from 'zod'

import { addressExample, showAddress } from '#api/contract/address.ts'
import { defineList } from '#api/contract/define.ts'
import * as parameter from '#api/contract/input.ts'

import { assertMart, count, share, text, usd } from './detail_fields.ts'
import { archetypes } from './pm_traders.ts'
import { tradingWallets, walletNames } from './trading_wallets.ts'

const points = (about: string) =>
  z
    .number()
    .nullable()
    .meta({ description: `${about}, in percentage points` })

/** The record of the trader of an address: an owner has one for all of its wallets. */
const select = (name: string): string =>
  `select address as wallet, archetype, role, is_complete, unlisted_reason, total_pnl as pnl, unrealized_usd as unrealized,
     income_usd as income, round(roi, 6) as roi, volume_usd::decimal(38, 2) as volume,
     drawdown_usd::decimal(38, 2) as drawdown, n_fills, markets_traded as n_markets, n_closed, n_won, win_rate,
     lower_win_rate as win_rate_lower, expected_win_rate, clv_score, round(clv_se, 6) as clv_se,
     round(clv_n_eff, 6) as clv_n_eff, clv_edge_points as clv_observed, clv_lower_points as clv_observed_lower,
     clv_upper_points as clv_observed_upper, clv_reason, entry_price, round(holding_s)::bigint as holding_s
   from marts.pm_wallet
   where address = coalesce((select trader from marts.pm_addresses where address = $${name}), $${name})`

export const traderProfile = defineList({
  path: '/trader-profile',
  summary: 'All figures of a trader, with samples and uncertainty',
  doc: `Returns the record of a trader of prediction markets over all time. For an EVM address, the address itself and the
contracts through which it trades (${walletNames.join(', ')}) are looked up; each trader is an item, the one with the
most markets first. Addresses with one owner, as logs of a chain show it, are one trader. The list is empty for an address that is not stored. The request reads the published snapshot alone;
\`/v1/pm-wallet\` also requests the reading of an address.`,
  reads: ['scores'],
  query: { address: parameter.address('The trader') },
  item: z
    .strictObject({
      wallet: text('The address that trades, in EIP-55'),
      archetype: z.enum(archetypes).meta({ description: 'Trading style: the first matching rule' }),
      role: text('Its side of the matches that its closing line value is compared with'),
      is_complete: z.boolean().meta({ description: 'Whether its whole history is stored' }),
      unlisted_reason: z.string().nullable().meta({ description: 'Why it is in no leaderboard; null if it is' }),
      pnl: usd('Profit and loss, realized'),
      unrealized: usd('Value of the shares that it holds above their cost'),
      income: usd('Rewards and rebates, no part of `pnl`'),
      roi: z.number().nullable().meta({ description: 'The result over the cash paid into closed markets' }),
      volume: usd('Cash traded'),
      drawdown: usd('The largest fall of `pnl` from an earlier peak'),
      n_fills: count('Fills'),
      n_markets: count('Markets traded'),
      n_closed: count('Markets closed: the sample of `win_rate`'),
      n_won: count('Markets closed with a profit'),
      win_rate: share('Markets won / markets closed'),
      win_rate_lower: share('The lower bound of the win rate, at 95 %'),
      expected_win_rate: share('The win rate that chance gives at the prices paid; null if unknown').nullable(),
      clv_score: points('Closing line value beyond the role; null without a trusted value'),
      clv_se: points('Its standard error'),
      clv_n_eff: z.number().nullable().meta({ description: 'Its effective sample, in days of a category' }),
      clv_observed: points('Closing line value as it was observed'),
      clv_observed_lower: points('The lower bound of it, at 95 %'),
      clv_observed_upper: points('The upper bound of it, at 95 %'),
      clv_reason: z.string().nullable().meta({ description: 'Why `clv_score` is null; null if it is not' }),
      entry_price: share('The mean price of its purchases; null without one').nullable(),
      holding_s: z.int().nullable().meta({ description: 'The mean seconds until a market closed for it, by cost' }),
    })
    .meta({ id: 'TraderProfile' }),
  example: {
    wallet: addressExample,
    archetype: 'generalist',
    role: 'taker',
    is_complete: true,
    unlisted_reason: null,
    pnl: 12840.11,
    unrealized: 310.5,
    income: 0,
    roi: 0.1421,
    volume: 91204.41,
    drawdown: 2210.07,
    n_fills: 412,
    n_markets: 52,
    n_closed: 49,
    n_won: 30,
    win_rate: 0.612245,
    win_rate_lower: 0.472,
    expected_win_rate: 0.534,
    clv_score: 2.41,
    clv_se: 0.8,
    clv_n_eff: 31.5,
    clv_observed: 2.6,
    clv_observed_lower: 0.9,
    clv_observed_upper: 4.3,
    clv_reason: null,
    entry_price: 0.48,
    holding_s: 86400,
  },
  rows: ({ address: { key } }, snapshot) => {
    assertMart(snapshot, 'pm_wallet_days')
    const params = Object.fromEntries([key, ...tradingWallets(key)].map((wallet, n) => [`address_${n}`, wallet]))
    return {
      sql: `from (${Object.keys(params).map(select).join(' union ')})`,
      params,
      order: [
        { column: 'n_markets', type: 'BIGINT', isDescending: true },
        { column: 'wallet', type: 'VARCHAR' },
      ],
    }
  },
  present: (row) => ({ ...row, wallet: showAddress(row.wallet) }),
})
