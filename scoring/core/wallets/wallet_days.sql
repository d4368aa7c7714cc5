-- A wallet's UTC day in one token; the row of token '' holds gas outside trades. A trade counts as a purchase of one
-- token and a sale of the other, at the same value. `n_matched` counts the sales that took from a lot, `realized_usd`
-- is the sum of their results, and `unranked_usd` its part that counts in no list. `unmatched_usd` are proceeds without
-- a lot. `gas_usd` is the gas in the costs and results of the token's trades.
--
-- The days of a wallet add up to its whole history. Values that are not priced are left out of the sums.
-- columns: wallet, chain, day, token; n_buys, n_sells, n_matched, bought_usd, sold_usd, realized_usd, unranked_usd,
-- unmatched_usd, gas_usd
with traded as (
  select t.*, s.moneyness > b.moneyness as is_purchase
  from core.trades t
  left join core.lot_tokens s on s.chain = t.chain and s.token = t.token_sold
  left join core.lot_tokens b on b.chain = t.chain and b.token = t.token_bought
),
matched as (
  select wallet, chain, token, tx, seq, ts, sum(pnl_usd) as pnl_usd, sum(pnl_usd) filter (not is_ranked) as unranked_usd
  from core.disposals
  where kind in ('sale', 'arbitrage')
  group by wallet, chain, token, tx, seq, ts
),
parts as (
  select
    wallet,
    chain,
    ts,
    token_bought as token,
    1 as n_buys,
    0 as n_sells,
    0 as n_matched,
    usd as bought_usd,
    0::decimal(38, 6) as sold_usd,
    0::decimal(38, 6) as realized_usd,
    0::decimal(38, 6) as unranked_usd,
    0::decimal(38, 6) as unmatched_usd,
    case when is_purchase then gas_usd else 0 end as gas_usd
  from traded
  union all
  select wallet, chain, ts, token_sold, 0, 1, 0, 0, usd, 0, 0, 0, case when is_purchase then 0 else gas_usd end
  from traded
  union all
  select wallet, chain, ts, token, 0, 0, 1, 0, 0, pnl_usd, unranked_usd, 0, 0
  from matched
  union all
  select wallet, chain, ts, token, 0, 0, 0, 0, 0, 0, 0, proceeds_usd, 0
  from core.unmatched
  union all
  select wallet, chain, ts, '', 0, 0, 0, 0, 0, 0, 0, 0, gas_usd
  from core.other_gas
)
select
  wallet,
  chain,
  ts::date as day,
  token,
  sum(n_buys) as n_buys,
  sum(n_sells) as n_sells,
  sum(n_matched) as n_matched,
  coalesce(sum(bought_usd), 0) as bought_usd,
  coalesce(sum(sold_usd), 0) as sold_usd,
  coalesce(sum(realized_usd), 0) as realized_usd,
  coalesce(sum(unranked_usd), 0) as unranked_usd,
  coalesce(sum(unmatched_usd), 0) as unmatched_usd,
  coalesce(sum(gas_usd), 0) as gas_usd
from parts
group by wallet, chain, ts::date, token
