-- A wallet's UTC day in one token; the row of token '' holds gas outside trades. A trade counts as a purchase of one
-- token and a sale of the other, at the same value. `n_matched` counts the sales that took from a lot, `realized_usd`
-- is the sum of their ranked results, and `unranked_usd` the sum of the others. `unmatched_usd` are proceeds without a
-- lot. `gas_usd` is the gas in the costs and results of the token's trades.
--
-- The days of a wallet add up to its whole history. Values that are not priced are left out of the sums.
-- ordered: no
-- columns: wallet, chain, day, token; n_buys, n_sells, n_matched, bought_usd, sold_usd, realized_usd, unranked_usd,
-- unmatched_usd, gas_usd
with traded as (
  select
    w.wallet_index,
    s.token_index as sold_index,
    b.token_index as bought_index,
    t.ts::date as day,
    t.usd,
    t.gas_usd,
    s.moneyness > b.moneyness as is_purchase
  from core.trades t
  left join core.lot_wallets w on w.wallet = t.wallet
  left join core.lot_tokens s on s.chain = t.chain and s.token = t.token_sold
  left join core.lot_tokens b on b.chain = t.chain and b.token = t.token_bought
),
-- Kinds 0 and 3 are sales and round trips.
matched as (
  select
    wallet_index,
    token_index,
    ts::date as day,
    sum(pnl_millionths * 0.000001) filter (is_ranked) as realized_usd,
    sum(pnl_millionths * 0.000001) filter (not is_ranked) as unranked_usd
  from core.allocations
  where kind in (0, 3)
  group by wallet_index, token_index, block, tx_index, seq, ts::date
),
parts as (
  select
    wallet_index,
    bought_index as token_index,
    day,
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
  select wallet_index, sold_index, day, 0, 1, 0, 0, usd, 0, 0, 0, case when is_purchase then 0 else gas_usd end
  from traded
  union all
  select wallet_index, token_index, day, 0, 0, 1, 0, 0, realized_usd, unranked_usd, 0, 0
  from matched
  union all
  select w.wallet_index, k.token_index, u.ts::date, 0, 0, 0, 0, 0, 0, 0, u.proceeds_usd, 0
  from core.unmatched u
  join core.lot_wallets w on w.wallet = u.wallet
  join core.lot_tokens k on k.chain = u.chain and k.token = u.token
),
by_number as (
  select
    wallet_index,
    token_index,
    day,
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
  group by wallet_index, token_index, day
),
-- Numbers sort in a third of the time of texts, and place the days of a wallet together.
sorted as (
  from by_number
  order by wallet_index, day, token_index
)
select
  w.wallet,
  k.chain,
  s.day,
  k.token,
  s.* exclude (wallet_index, token_index, day)
from sorted s
join core.lot_wallets w on w.wallet_index = s.wallet_index
join core.lot_tokens k on k.token_index = s.token_index
union all
select wallet, chain, ts::date, '', 0, 0, 0, 0, 0, 0, 0, 0, coalesce(sum(gas_usd), 0)
from core.other_gas
group by wallet, chain, ts::date
