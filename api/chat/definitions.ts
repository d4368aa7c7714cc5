import type { walletTags } from '#api/endpoints/discover.ts'
import type { archetypes } from '#api/endpoints/pm_traders.ts'
import type { behaviors } from '#api/endpoints/wallet_figures.ts'

type Field =
  | 'mindshare_pct'
  | 'mindshare_delta'
  | 'sentiment'
  | 'rank'
  | 'yes_price'
  | 'no_price'
  | 'volume_24h'
  | 'pnl'
  | 'win_rate'
  | 'clv_score'
  | 'archetype'
  | 'tags'
  | 'pnl_30d'
  | 'volume_30d'
  | 'realized_30d'
  | 'realized_all_time'
  | 'holdings'
  | 'behavior_archetype'
  | 'total_pnl'
  | 'markets_traded'
  | 'tier_required'

/** A word whose definition can be asked for: a field, an archetype or a tag. */
export type Term = Field | (typeof archetypes)[number] | (typeof behaviors)[number] | (typeof walletTags)[number]

/**
 * Each term in a sentence. An archetype of traders and of wallets has both rules. The rules are those of
 * `docs/closing-line-value.md` and `scoring/metrics/wallets/wallet_traits.sql`; a test compares the numbers.
 */
export const definitions: Readonly<Record<Term, string>> = {
  mindshare_pct:
    'the share of an asset in the attention of posts over the range, in percent of all recognised assets, averaged over platforms.',
  mindshare_delta: 'the change of mindshare against the range of equal length before, in percentage points.',
  sentiment:
    'the tone of posts on an asset beside the tone of posts on other assets: bullish or bearish beyond 1.645 standard errors with 10 authors, else neutral.',
  rank: 'the rank of an asset by mindshare in the range, among all tracked assets.',
  yes_price:
    'the implied probability of YES: the midpoint of a narrow book, else the last trade of 24 hours, else the price of the venue; after resolution the payout.',
  no_price: '1 - yes_price.',
  volume_24h: 'the USD traded in a market in the last 24 hours, each match counted once.',
  pnl: 'profit and loss in USD, realized in the range. A position is realized when its market resolves or its shares are sold.',
  win_rate:
    'markets won / markets closed of a trader, or tokens sold at a profit / tokens sold of a wallet, in the range.',
  clv_score:
    'closing line value beyond the role: the closing price minus the price paid, in percentage points a share, shrunk towards the mean of traders who get their fills alike by the part that is chance, minus that mean if it is above 0.',
  archetype: 'the trading style: the first rule that fits, over all time.',
  tags: 'all words whose rule a wallet meets, such as smart_money or fresh_wallet.',
  pnl_30d:
    'profit and loss in USD that a wallet realized by sales in 30 days, first in, first out, gas included, over tokens with a reliable price.',
  volume_30d: 'the volume of the trades of a wallet in USD, in 30 days.',
  realized_30d:
    'profit and loss in USD that a wallet realized by sales in 30 days, first in, first out, gas included, over tokens with a reliable price.',
  realized_all_time:
    'profit and loss in USD that a wallet realized by sales in all time, first in, first out, gas included, over tokens with a reliable price.',
  holdings: 'the tokens that a wallet has, with amount and value in USD at the last known price, from one cent on.',
  behavior_archetype: 'the trading style of a wallet on a chain: the first rule that fits.',
  total_pnl: 'the realized profit and loss of a trader in USD, over all markets and all time.',
  markets_traded: 'the number of distinct markets that a trader traded.',
  tier_required: 'the lowest tier that sees the full detail of a signal.',
  unproven:
    'of traders, fewer than 20 fills or 10 closed markets; of wallets, fewer than 10 trades or 5 closed tokens.',
  market_maker: 'at least 0.7 of the cash as maker, both sides of half the markets, at most 0.2 of shares left over.',
  arbitrageur:
    'of traders, at least half of the cash paid in for complete sets; of wallets, at least 0.5 of the volume in atomic round trips.',
  sharp: 'q <= 0.10 and n_eff >= 20: at most one in ten of them is luck.',
  fade_target:
    'of traders, the rule of sharp for a negative raw score; of wallets, a return of 180 days that is surely below 0.',
  value_hunter: 'q <= 0.20 among n_eff >= 10, at least 0.6 of the stake on tokens that had fallen over 24 hours.',
  momentum_chaser: 'at least 0.6 of the stake on tokens that had risen by 5 points or more.',
  longshot_hunter: 'at least 0.6 of the stake at 0.20 or less.',
  favorite_backer: 'at least 0.6 of the stake at 0.80 or more.',
  whale:
    'in the top percent by volume of 90 days, with at least 100,000 USD on prediction markets or 1,000,000 USD on a chain.',
  generalist: 'all others: no other rule fits.',
  sniper: 'buys tokens a median of at most 60 seconds after their first pool, over at least 5 tokens.',
  scalper: 'holds what it sells for a median below an hour.',
  swing_trader: 'holds what it sells for a median of up to 7 days.',
  diamond_hands: 'holds what it sells for a median above 90 days.',
  accumulator: 'bought at least 4 times the value that it sold in 90 days.',
  dormant: 'no trade in 90 days.',
  smart_money: 'the lower bound of the return of 90 days is above 0, with 10,000 USD of volume.',
  fresh_wallet: 'the first transaction is less than 7 days ago.',
  multi_chain: 'trades on 3 chains in 30 days.',
  stable_heavy: 'at least 0.8 of the value of its balances is in stablecoins.',
  high_frequency: 'at least 50 trades in a day.',
  bot_like: 'at least 25 transactions in an hour with 100 trades, or active in more than 0.95 of the hours.',
  sandwich_like: '3 sandwiches: buys and sells around the trade of another in one block.',
  wash_like: '10 wash trades: the same token bought and sold within a minute.',
  early_buyer: 'among the first 100 buyers of 3 tokens.',
  contract: 'the address has code and is not an account of a known kind.',
  profitable_90d: 'a realized profit in 90 days, over at least 5 closed tokens.',
  losing_90d: 'a realized loss in 90 days, over at least 5 closed tokens.',
}

export const termNames = Object.keys(definitions) as [Term, ...Term[]]
