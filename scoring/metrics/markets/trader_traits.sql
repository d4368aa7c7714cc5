-- The evidence of a trader's archetype, over all time.
--
--   maker_share       share of the cash, over fills with a known role, as maker; null without such fills
--   both_sides_share  share of the traded markets with trades in both directions: up (outcome 0 bought, or the other
--                     one of two sold) and down
--   net_share         net shares (up minus down, market by market) over all traded shares
--   set_share         share of the total paid in that went into complete sets: bought at once below a dollar
--                     (`core.complete_sets`), merged or converted; a set that was bought and then merged counts once
--   dip_share, rise_share  share of the stake (cash and fee of purchases) in tokens whose price had fallen, or risen
--                          by 5 points or more, over the previous 24 hours (`core.entry_trends`)
--   longshot_share, favorite_share  share of the stake at a price of at most 0.20, or at least 0.80
--   volume_90d_pct    the top percentage of the traders of 90 days that contains the trader, by volume
--
-- `archetype` is the first rule that fits. `metrics.clv_scores` has the rates q, q_below and q_wide: of the
-- traders called sharp at most one in ten is so by luck. If a guard of the kind does not hold, skill decides no
-- archetype.
--
--   unproven          fewer than 20 fills or 10 closed markets
--   market_maker      maker_share >= 0.7 (if roles are known), both_sides_share >= 0.5, net_share <= 0.2
--   arbitrageur       set_share >= 0.5
--   sharp             q <= 0.10, which takes n_eff >= 20
--   fade_target       q_below <= 0.10, which takes n_eff >= 20
--   value_hunter      q_wide <= 0.20, which takes n_eff >= 10, and dip_share >= 0.6
--   momentum_chaser   rise_share >= 0.6
--   longshot_hunter   longshot_share >= 0.6
--   favorite_backer   favorite_share >= 0.6
--   whale             volume_90d_pct <= 1, volume_90d_usd >= 100,000
--   generalist        otherwise.
-- columns: trader; n_fills, n_closed, maker_share?, both_sides_share, net_share, set_share, dip_share, rise_share,
-- longshot_share, favorite_share, volume_90d_usd, volume_90d_pct, archetype
with rules as (
  select
    20 as fills,
    10 as closed_markets,
    0.7 as maker,
    0.5 as both_sides,
    0.2 as net,
    0.5 as sets,
    0.10 as sure,
    0.20 as likely,
    0.6 as stake,
    0.05 as rise,
    0.20 as longshot,
    0.80 as favorite,
    1 as whale_pct,
    100000 as whale_usd
),
counted as (
  select trader, count(*) as n_fills
  from staging.fills
  group by trader
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
    sum(stake_usd) as stake_usd,
    sum(stake_usd) filter (is_longshot) as longshot_usd,
    sum(stake_usd) filter (is_favorite) as favorite_usd
  from sided
  group by trader_index, market_index
),
sides as (
  select
    trader_index,
    sum(maker_usd) as maker_usd,
    sum(known_usd) as known_usd,
    count(*) filter (is_both) / count(*) as both_sides_share,
    -- Dust is rounded to no shares, or to no cash.
    sum(net) / nullif(sum(turnover), 0) as net_share,
    nullif(sum(stake_usd), 0) as stake_usd,
    sum(longshot_usd) as longshot_usd,
    sum(favorite_usd) as favorite_usd
  from markets
  group by trader_index
),
moves as (
  select
    t.trader_index,
    sum(t.stake_usd) filter (t.price_before < t.price_day_before) as dip_usd,
    sum(t.stake_usd) filter (t.price_before - t.price_day_before >= r.rise) as rise_usd
  from core.entry_trends t
  cross join rules r
  group by t.trader_index
),
paid as (
  select trader_index, sum(cost_usd) as cost_usd
  from core.trader_markets
  group by trader_index
),
set_costs as (
  select trader, cluster_id, sum(cost_usd) as bought_usd, 0 as merged_usd
  from core.complete_sets
  group by trader, cluster_id
  union all
  select trader, market_id, 0, sum(cost_usd)
  from core.realizations
  where kind in ('merge', 'conversion')
  group by trader, market_id
),
sets as (
  select trader, sum(usd) as set_usd
  from (
    select trader, cluster_id, greatest(sum(bought_usd), sum(merged_usd)) as usd
    from set_costs
    group by trader, cluster_id
  )
  group by trader
),
sized as (
  select trader, volume_usd
  from metrics.trader_results
  where range = '90d' and volume_usd > 0 and trader <> ''
),
volumes as (
  select
    trader,
    volume_usd,
    100 * rank() over (order by volume_usd desc) / (select count(*) from sized) as pct
  from sized
),
traits as (
  select
    t.trader,
    coalesce(c.n_fills, 0) as n_fills,
    t.n_closed,
    case when s.known_usd > 0 then coalesce(s.maker_usd, 0) / s.known_usd end as maker_share,
    coalesce(s.both_sides_share, 0) as both_sides_share,
    coalesce(s.net_share, 0) as net_share,
    case when p.cost_usd > 0 then least(1, coalesce(e.set_usd, 0) / p.cost_usd) else 0 end as set_share,
    coalesce(m.dip_usd / s.stake_usd, 0) as dip_share,
    coalesce(m.rise_usd / s.stake_usd, 0) as rise_share,
    coalesce(s.longshot_usd / s.stake_usd, 0) as longshot_share,
    coalesce(s.favorite_usd / s.stake_usd, 0) as favorite_share,
    coalesce(v.volume_usd, 0) as volume_90d_usd,
    coalesce(v.pct, 100) as volume_90d_pct,
    l.q,
    l.q_below,
    l.q_wide
  from metrics.trader_results t
  left join core.ledger_traders n on n.trader = t.trader
  left join counted c on c.trader = t.trader
  left join sides s on s.trader_index = n.trader_index
  left join moves m on m.trader_index = n.trader_index
  left join paid p on p.trader_index = n.trader_index
  left join sets e on e.trader = t.trader
  left join volumes v on v.trader = t.trader
  left join metrics.clv_scores l on l.trader = t.trader and l.range = 'all' and l.is_trusted
  where t.range = 'all'
)
select
  t.trader,
  t.n_fills,
  t.n_closed,
  t.maker_share,
  t.both_sides_share,
  t.net_share,
  t.set_share,
  t.dip_share,
  t.rise_share,
  t.longshot_share,
  t.favorite_share,
  t.volume_90d_usd,
  t.volume_90d_pct,
  case
    when t.n_fills < r.fills or t.n_closed < r.closed_markets then 'unproven'
    when coalesce(t.maker_share >= r.maker, true) and t.both_sides_share >= r.both_sides and t.net_share <= r.net then 'market_maker'
    when t.set_share >= r.sets then 'arbitrageur'
    when t.q <= r.sure then 'sharp'
    when t.q_below <= r.sure then 'fade_target'
    when t.q_wide <= r.likely and t.dip_share >= r.stake then 'value_hunter'
    when t.rise_share >= r.stake then 'momentum_chaser'
    when t.longshot_share >= r.stake then 'longshot_hunter'
    when t.favorite_share >= r.stake then 'favorite_backer'
    when t.volume_90d_pct <= r.whale_pct and t.volume_90d_usd >= r.whale_usd then 'whale'
    else 'generalist'
  end as archetype
from traits t
cross join rules r
