-- The wallets whose trades on chains can be signals: those with the tag `smart_money` or `whale` and at least 20 trades
-- of 90 days. Trades of the last hour are tested, so they are no part of the comparison. The threshold and the tail are
-- the figures of `metrics.signal_traders`.
--
--   confidence  the probability that the wallet's return of 90 days is above 0: the share of the draws of
--               `metrics.wallet_returns`; 0.5 with fewer than 20 closed tokens.
-- columns: wallet, chain; confidence, n_trades, threshold_usd, tail_share, tail_shape DOUBLE, tail_scale DOUBLE, archetype
with tagged as (
  select wallet, chain, archetype
  from metrics.wallet_traits
  where list_has_any(tags, ['smart_money', 'whale'])
),
trades as (
  select t.wallet, t.chain, t.tx, t.seq, t.usd
  from core.trades t
  join tagged g on g.wallet = t.wallet and g.chain = t.chain
  cross join core.clock c
  where t.kind = 'swap' and not t.is_self and t.usd is not null
    and t.ts > c.as_of - interval 2160 hours and t.ts <= c.as_of - interval 1 hour
),
thresholds as (
  select
    wallet,
    chain,
    count(*) as n_trades,
    greatest(1000, quantile_cont(usd::double, 0.95))::decimal(38, 6) as threshold_usd
  from trades
  group by wallet, chain
  having count(*) >= 20
),
tails as (
  select
    h.wallet,
    h.chain,
    any_value(h.n_trades) as n_trades,
    any_value(h.threshold_usd) as threshold_usd,
    count(t.usd) as n_above,
    coalesce(sum(ln(t.usd::double / h.threshold_usd::double)::decimal(18, 9)), 0) as excess
  from thresholds h
  left join trades t on t.wallet = h.wallet and t.chain = h.chain and t.usd >= h.threshold_usd
  group by h.wallet, h.chain
)
select
  t.wallet,
  t.chain,
  coalesce(r.gain_share, 0.5) as confidence,
  t.n_trades,
  t.threshold_usd,
  (t.n_above + 1) / (t.n_trades + 1) as tail_share,
  2 + t.n_above as tail_shape,
  1 + t.excess::double as tail_scale,
  g.archetype
from tails t
join tagged g on g.wallet = t.wallet and g.chain = t.chain
left join metrics.wallet_returns r on r.wallet = t.wallet and r.chain = t.chain and r.days = 90
