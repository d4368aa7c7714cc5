-- How a trader gets its fills, over all time and without trades of the trader with itself.
--
--   maker_share       share of the cash, over fills with a known role, as maker; null without such fills
--   both_sides_share  share of the traded markets with trades in both directions: up (outcome 0 bought, or the other
--                     one of two sold) and down
--   net_share         net shares (up minus down, market by market) over all traded shares
--   entry_price       mean price of the purchases before fees, by shares
--   stake_usd         cash and fee of the purchases; taken_stake_usd of those that the trader did not make
--   longshot_share, favorite_share  share of the stake at a price of at most 0.20, or at least 0.80
--
-- `role` is the first that fits. `market_maker`: maker_share >= 0.7 and both_sides_share >= 0.5; without known roles
-- both_sides_share >= 0.5 and net_share <= 0.2. `poster`: maker_share >= 0.5. `taker`: all others.
-- columns: trader_index; role, maker_share?, both_sides_share, net_share, entry_price? DECIMAL(9,6), stake_usd, taken_stake_usd, longshot_share, favorite_share
with rules as (
  select 0.7 as maker, 0.5 as poster, 0.5 as both_sides, 0.2 as net, 0.20 as longshot, 0.80 as favorite
),
sided as (
  select
    f.trader_index,
    f.market_index,
    f.role,
    f.size,
    f.cash_usd,
    case when (f.side = 'buy') = (m.n_outcomes <> 2 or f.outcome = 0) then f.size else -f.size end as up,
    case when f.side = 'buy' then f.cash_usd + f.fee_usd end as stake_usd,
    f.price <= r.longshot as is_longshot,
    f.price >= r.favorite as is_favorite
  from core.fills f
  join core.ledger_markets m on m.market_index = f.market_index
  cross join rules r
  where not f.is_self
),
markets as (
  select
    trader_index,
    min(up) < 0 and max(up) > 0 as is_both,
    abs(sum(up)) as net,
    sum(size) as turnover,
    sum(cash_usd) filter (role is not null) as known_usd,
    sum(cash_usd) filter (role = 'maker') as maker_usd,
    sum(cash_usd) filter (stake_usd is not null) as bought_usd,
    sum(size) filter (stake_usd is not null) as bought,
    sum(stake_usd) as stake_usd,
    sum(stake_usd) filter (role is distinct from 'maker') as taken_stake_usd,
    sum(stake_usd) filter (is_longshot) as longshot_usd,
    sum(stake_usd) filter (is_favorite) as favorite_usd
  from sided
  group by trader_index, market_index
),
sums as (
  select
    trader_index,
    sum(maker_usd) as maker_usd,
    sum(known_usd) as known_usd,
    count(*) filter (is_both) / count(*) as both_sides_share,
    -- Dust is rounded to no shares, or to no cash.
    coalesce(sum(net) / nullif(sum(turnover), 0), 0) as net_share,
    sum(bought_usd) / nullif(sum(bought), 0) as entry_price,
    coalesce(sum(stake_usd), 0) as stake_usd,
    coalesce(sum(taken_stake_usd), 0) as taken_stake_usd,
    coalesce(sum(longshot_usd), 0) as longshot_usd,
    coalesce(sum(favorite_usd), 0) as favorite_usd
  from markets
  group by trader_index
),
styles as (
  select
    *,
    case when known_usd > 0 then coalesce(maker_usd, 0) / known_usd end as maker_share
  from sums
)
select
  s.trader_index,
  case
    when s.both_sides_share >= r.both_sides and coalesce(s.maker_share >= r.maker, s.net_share <= r.net) then 'market_maker'
    when s.maker_share >= r.poster then 'poster'
    else 'taker'
  end as role,
  s.maker_share,
  s.both_sides_share,
  s.net_share,
  s.entry_price,
  s.stake_usd,
  s.taken_stake_usd,
  coalesce(s.longshot_usd / nullif(s.stake_usd, 0), 0) as longshot_share,
  coalesce(s.favorite_usd / nullif(s.stake_usd, 0), 0) as favorite_share
from styles s
cross join rules r
