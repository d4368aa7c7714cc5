-- The tokens behind a wallet's results on a chain: value bought and sold, the realized and the unranked result, proceeds
-- without a known purchase, and the number of sales that took from a lot. `is_ranked` is true if every result counts in
-- lists.
-- columns: address, chain, token; symbol?, realized_30d DECIMAL(38,2), realized_all_time DECIMAL(38,2),
-- unranked_30d DECIMAL(38,2), unranked_all_time DECIMAL(38,2), bought DECIMAL(38,2), sold DECIMAL(38,2), unmatched DECIMAL(38,2), n_matched, is_ranked, last_at
with by_number as (
  select
    a.wallet_index,
    a.token_index,
    sum(a.pnl_millionths * 0.000001) filter (a.is_ranked and a.is_recent) as realized_usd,
    sum(a.pnl_millionths * 0.000001) filter (not a.is_ranked and a.is_recent) as unranked_usd,
    bool_and(a.is_ranked) as is_ranked
  from (
    select s.*, s.ts > c.as_of - interval 720 hours and s.ts <= c.as_of as is_recent
    from core.allocations s
    cross join core.clock c
  ) a
  where a.pnl_millionths is not null
  group by a.wallet_index, a.token_index
),
results as (
  select w.wallet, k.chain, k.token, b.realized_usd, b.unranked_usd, b.is_ranked
  from by_number b
  join core.lot_wallets w on w.wallet_index = b.wallet_index
  join core.lot_tokens k on k.token_index = b.token_index
),
touched as (
  select wallet, chain, token_bought as token, ts from core.trades
  union all
  select wallet, chain, token_sold, ts from core.trades
),
latest as (
  select wallet, chain, token, max(ts) as last_at
  from touched
  group by wallet, chain, token
),
totals as (
  select
    wallet,
    chain,
    token,
    sum(realized_usd) as realized_usd,
    sum(unranked_usd) as unranked_usd,
    sum(bought_usd) as bought_usd,
    sum(sold_usd) as sold_usd,
    sum(unmatched_usd) as unmatched_usd,
    sum(n_matched) as n_matched
  from core.wallet_days
  group by wallet, chain, token
)
select
  l.wallet as address,
  l.chain,
  l.token,
  k.symbol,
  coalesce(r.realized_usd, 0)::decimal(38, 2) as realized_30d,
  t.realized_usd::decimal(38, 2) as realized_all_time,
  coalesce(r.unranked_usd, 0)::decimal(38, 2) as unranked_30d,
  t.unranked_usd::decimal(38, 2) as unranked_all_time,
  t.bought_usd::decimal(38, 2) as bought,
  t.sold_usd::decimal(38, 2) as sold,
  t.unmatched_usd::decimal(38, 2) as unmatched,
  t.n_matched,
  coalesce(r.is_ranked, false) as is_ranked,
  l.last_at
from latest l
join totals t on t.wallet = l.wallet and t.chain = l.chain and t.token = l.token
left join results r on r.wallet = l.wallet and r.chain = l.chain and r.token = l.token
left join core.tokens k on k.chain = l.chain and k.token = l.token
