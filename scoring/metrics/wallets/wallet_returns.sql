-- The return of a wallet on one chain over 90 and 180 days, with bounds by a bootstrap over its tokens: each of 400
-- draws takes as many tokens as the wallet closed, with repetition, and divides the sum of their results by the sum of
-- their costs. A draw is a hash of wallet and number, so that every build draws alike. Only ranked results count, and
-- stables do not. `roi_lower` and `roi_upper` are the 2.5 % and the 97.5 % quantile, and `gain_share` is the share of
-- the draws above 0; null without any cost.
-- columns: wallet, chain, days INTEGER; n_closed, realized_usd, cost_usd, roi_lower? DOUBLE, roi_upper? DOUBLE, gain_share?
with by_number as (
  select
    a.wallet_index,
    a.token_index,
    n.days,
    sum(a.pnl_millionths * 0.000001) as pnl_usd,
    sum(a.cost_millionths * 0.000001) as cost_usd
  from core.allocations a
  cross join core.clock c
  join (values (90), (180)) as n (days) on a.ts > c.as_of - n.days * interval 24 hours and a.ts <= c.as_of
  where a.pnl_millionths is not null and a.is_ranked
  group by a.wallet_index, a.token_index, n.days
),
-- Tokens of a chain are numbered in the order of their contracts.
by_token as (
  select
    b.wallet_index,
    k.chain,
    b.days,
    b.pnl_usd,
    b.cost_usd,
    row_number() over (partition by b.wallet_index, k.chain, b.days order by b.token_index) - 1 as place
  from by_number b
  join core.lot_tokens k on k.token_index = b.token_index and k.moneyness < 2
),
sums as (
  select wallet_index, chain, days, count(*) as n_closed, sum(pnl_usd) as realized_usd, sum(cost_usd) as cost_usd
  from by_token
  group by wallet_index, chain, days
),
totals as (
  select s.*, w.wallet
  from sums s
  join core.lot_wallets w on w.wallet_index = s.wallet_index
),
-- A wallet needs 20 closed tokens for a word about skill, so others need no bounds.
draws as (
  select t.wallet_index, t.chain, t.days, r.draw, hash(t.wallet, t.chain, t.days, r.draw, i.pick) % t.n_closed as place
  from totals t
  cross join range(400) as r (draw)
  cross join lateral (select unnest(range(t.n_closed)) as pick) i
  where t.n_closed >= 20
),
drawn as (
  select d.wallet_index, d.chain, d.days, d.draw, sum(b.pnl_usd)::double / nullif(sum(b.cost_usd), 0) as roi
  from draws d
  join by_token b
    on b.wallet_index = d.wallet_index and b.chain = d.chain and b.days = d.days and b.place = d.place
  group by d.wallet_index, d.chain, d.days, d.draw
),
bounds as (
  select
    wallet_index,
    chain,
    days,
    quantile_disc(roi, 0.025) as roi_lower,
    quantile_disc(roi, 0.975) as roi_upper,
    count(*) filter (roi > 0) / nullif(count(roi), 0) as gain_share
  from drawn
  group by wallet_index, chain, days
)
select t.wallet, t.chain, t.days, t.n_closed, t.realized_usd, t.cost_usd, b.roi_lower, b.roi_upper, b.gain_share
from totals t
left join bounds b on b.wallet_index = t.wallet_index and b.chain = t.chain and b.days = t.days
