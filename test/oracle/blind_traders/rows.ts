import type { Row, Table } from '#test/oracle/blind/rows.ts'

import type { Account } from './ledger.ts'
import { centsOf, isComplete, type Shown } from './lists.ts'
import type { TraderOracle } from './oracle.ts'

/** The reason why a trader is on no list: its history first, then the sample, then wash trades. */
function reasonOf(account: Account, archetype: string, isWashLike: boolean): string | null {
  if (!account.isRead) return 'not pulled'
  if (!isComplete(account)) return 'sold shares that were never seen bought'
  if (archetype === 'unproven') return 'fewer than 20 fills or 10 closed markets'
  return isWashLike ? 'a fifth of its volume or more is with itself, or with one partner' : null
}

/** The code of that reason. */
function codeOf(account: Account, archetype: string, isWashLike: boolean): string | null {
  if (!account.isRead) return 'unread'
  if (!isComplete(account)) return 'untracked'
  if (archetype === 'unproven') return 'unproven'
  return isWashLike ? 'wash' : null
}

const usd = (millionths: number): number => millionths / 1e6
const cents = (millionths: number): number => centsOf(millionths) / 100
/** A share to six places. */
const rounded = (share: number): number => Math.round(share * 1e6) / 1e6
const roundedOr = (share: number | null): number | null => (share === null ? null : rounded(share))

/** The results of the oracle, with the names and columns of the tables. */
export function tablesOfTraders(oracle: TraderOracle): Table[] {
  return [
    outcomesTable(oracle),
    resultsTable(oracle),
    balancesTable(oracle),
    traitsTable(oracle),
    washesTable(oracle),
    listsTable(oracle),
    profilesTable(oracle),
  ]
}

const outcomesTable = ({ outcomes }: TraderOracle): Table => ({
  name: 'core.trader_markets',
  key: ['trader', 'market_id'],
  rows: outcomes.map(({ trader, life, pnl, cost, volume, made, entryPrice, closedAt }): Row => ({
    trader,
    market_id: life.market.id,
    n_fills: life.fills.length,
    cost_usd: usd(cost),
    pnl_usd: usd(pnl),
    volume_usd: usd(volume),
    maker_usd: usd(made),
    entry_price: entryPrice === null ? null : usd(entryPrice),
    closed_at: closedAt,
  })),
})

const resultsTable = ({ results, accounts }: TraderOracle): Table => {
  const own = new Map(accounts.map((account) => [account.trader, account]))
  const complete = new Set(accounts.filter(isComplete).map(({ trader }) => trader))
  return {
    name: 'metrics.trader_results',
    key: ['trader', 'range'],
    rows: results.map(({ trader, range, realized, volume, winRate, shrunk, lower, expected, ...counts }): Row => ({
      trader,
      range,
      ...counts,
      realized_usd: usd(realized),
      volume_usd: usd(volume),
      untracked_usd: usd(own.get(trader)?.untracked ?? 0),
      win_rate: rounded(winRate),
      shrunk_win_rate: rounded(shrunk),
      lower_win_rate: rounded(lower),
      expected_win_rate: expected === null ? null : usd(expected),
      is_complete: complete.has(trader),
    })),
  }
}

const balancesTable = ({ balances }: TraderOracle): Table => ({
  name: 'metrics.trader_balances',
  key: ['trader'],
  rows: balances.map(({ trader, openCost, unrealized, n_unpriced, income, combo, n_combo_fills }): Row => ({
    trader,
    open_cost_usd: usd(openCost),
    unrealized_usd: usd(unrealized),
    n_unpriced,
    income_usd: usd(income),
    combo_usd: usd(combo),
    n_combo_fills,
  })),
})

const traitsTable = ({ traits }: TraderOracle): Table => ({
  name: 'metrics.trader_traits',
  key: ['trader'],
  rows: traits.map(({ trader, n_fills, n_closed, role, maker, archetype, volume, ...shares }): Row => ({
    trader,
    n_fills,
    n_closed,
    role,
    maker_share: roundedOr(maker),
    both_sides_share: rounded(shares.bothSides),
    net_share: rounded(shares.net),
    set_share: rounded(shares.sets),
    dip_share: rounded(shares.dip),
    rise_share: rounded(shares.rise),
    longshot_share: rounded(shares.longshot),
    favorite_share: rounded(shares.favorite),
    volume_90d_usd: usd(volume),
    volume_90d_pct: rounded(shares.top),
    archetype,
  })),
})

const washesTable = ({ washes }: TraderOracle): Table => ({
  name: 'metrics.wash_shares',
  key: ['trader'],
  rows: [...washes.values()].map(({ trader, volume, self, partner, partnerVolume, isWashLike }): Row => ({
    trader,
    volume_usd: usd(volume),
    self_usd: usd(self),
    self_share: rounded(volume === 0 ? 0 : self / volume),
    partner,
    partner_usd: usd(partnerVolume),
    partner_share: rounded(volume === 0 ? 0 : partnerVolume / volume),
    is_wash_like: isWashLike,
  })),
})

/** The columns that lists and profiles share. */
function commonOf({ result, traits, score, clv }: Shown, isScored: boolean): Row {
  const shown = isScored ? score : undefined
  return {
    win_rate: rounded(result.winRate),
    archetype: traits.archetype,
    n_closed: result.n_closed,
    lower_win_rate: rounded(result.lower),
    shrunk_win_rate: rounded(result.shrunk),
    expected_win_rate: result.expected === null ? null : usd(result.expected),
    roi: result.roi,
    role: traits.role,
    clv_score: isScored && clv !== null ? clv / 1e6 : null,
    clv_kind: shown?.kind ?? null,
    clv_se: shown?.skillSe ?? null,
    clv_n_eff: shown?.nEff ?? null,
    clv_q: shown?.q ?? null,
    clv_edge_points: roundedOr(shown?.raw ?? null),
    clv_lower_points: roundedOr(shown?.lower ?? null),
    clv_upper_points: roundedOr(shown?.upper ?? null),
    clv_role_points: roundedOr(shown?.mu ?? null),
  }
}

const listsTable = ({ lists }: TraderOracle): Table => ({
  name: 'marts.pm_traders',
  key: ['range', 'sort', 'rank'],
  rows: lists.map((one): Row => ({
    range: one.result.range,
    sort: one.sort,
    rank: one.rank,
    wallet: one.result.trader,
    pnl: cents(one.result.realized),
    ...commonOf(one, true),
  })),
})

const profilesTable = ({ profiles, accounts, balances, washes }: TraderOracle): Table => {
  const own = new Map(accounts.map((account) => [account.trader, account]))
  const money = new Map(balances.map((balance) => [balance.trader, balance]))
  return {
    name: 'marts.pm_wallet',
    key: ['address'],
    rows: profiles.flatMap((one): Row[] => {
      const { trader } = one.result
      const [account, balance] = [own.get(trader), money.get(trader)]
      const isWashLike = washes.get(trader)?.isWashLike ?? false
      if (account === undefined) return []
      const row = {
        address: trader,
        total_pnl: cents(one.result.realized),
        ...commonOf(one, one.traits.archetype !== 'unproven'),
        markets_traded: one.result.n_markets,
        is_complete: isComplete(account),
        unlisted_code: codeOf(account, one.traits.archetype, isWashLike),
        unlisted_reason: reasonOf(account, one.traits.archetype, isWashLike),
        untracked: cents(account.untracked),
        unrealized_usd: cents(balance?.unrealized ?? 0),
        income_usd: cents(balance?.income ?? 0),
        combo_usd: cents(balance?.combo ?? 0),
        has_combos: (balance?.n_combo_fills ?? 0) > 0,
        n_won: one.result.n_won,
        scored_share: one.traits.archetype === 'unproven' ? null : roundedOr(one.score?.scored_share ?? null),
        is_wash_like: isWashLike,
      }
      return [row]
    }),
  }
}
