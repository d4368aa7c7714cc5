-- The evidence of a trader's archetype, over all time. `role` and the shares of sides and prices are those of
-- `metrics.trader_styles`.
--
--   set_share         share of the total paid in that went into complete sets: bought at once below a dollar
--                     (`core.complete_sets`), merged or converted; a set that was bought and then merged counts once
--   dip_share, rise_share  share of the stake (cash and fee of purchases that the trader did not make) in tokens whose
--                          price had fallen, or risen by 5 points or more, over the previous 24 hours
--                          (`core.entry_trends`)
--   volume_90d_pct    the top percentage of the traders of 90 days that contains the trader, by volume
--
-- `archetype` is the first rule that fits. `metrics.clv_scores` has the skill and the rates q, q_below and q_wide: of
-- the traders called sharp at most one in ten is so by luck or by role. If the guard of a kind does not hold, that kind
-- decides no archetype.
--
--   unproven          fewer than 20 fills or 10 closed markets
--   market_maker      the role market_maker
--   arbitrageur       set_share >= 0.5
--   sharp             q <= 0.10, which takes n_eff >= 20; skill above 0
--   fade_target       q_below <= 0.10, which takes n_eff >= 20; skill below 0; ROI below 0
--   value_hunter      q_wide <= 0.20, which takes n_eff >= 10; skill above 0; the role taker; dip_share >= 0.6
--   momentum_chaser   rise_share >= 0.6
--   longshot_hunter   longshot_share >= 0.6
--   favorite_backer   favorite_share >= 0.6
--   whale             volume_90d_pct <= 1, volume_90d_usd >= 100,000
--   generalist        otherwise.
-- columns: trader; n_fills, n_closed, role, maker_share?, both_sides_share, net_share, set_share, dip_share, rise_share,
-- longshot_share, favorite_share, volume_90d_usd, volume_90d_pct, archetype
with rules as (
  select
    20 as fills,
    10 as closed_markets,
    0.5 as sets,
    0.10 as sure,
    0.20 as likely,
    0.6 as stake,
    0.05 as rise,
    1 as whale_pct,
    100000 as whale_usd
),
counted as (
  select a.trader, count(*) as n_fills
  from staging.fills f
  join core.trader_addresses a on a.wallet = f.trader
  group by a.trader
),
moves as (
  select
    t.trader_index,
    sum(t.stake_usd) filter (t.price_before < t.price_day_before) as dip_usd,
    sum(t.stake_usd) filter (t.price_before - t.price_day_before >= r.rise) as rise_usd
  from core.entry_trends t
  cross join rules r
  where t.role is distinct from 'maker'
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
    coalesce(s.role, 'taker') as role,
    s.maker_share,
    coalesce(s.both_sides_share, 0) as both_sides_share,
    coalesce(s.net_share, 0) as net_share,
    case when p.cost_usd > 0 then least(1, coalesce(e.set_usd, 0) / p.cost_usd) else 0 end as set_share,
    coalesce(m.dip_usd / nullif(s.taken_stake_usd, 0), 0) as dip_share,
    coalesce(m.rise_usd / nullif(s.taken_stake_usd, 0), 0) as rise_share,
    coalesce(s.longshot_share, 0) as longshot_share,
    coalesce(s.favorite_share, 0) as favorite_share,
    t.roi,
    coalesce(v.volume_usd, 0) as volume_90d_usd,
    coalesce(v.pct, 100) as volume_90d_pct,
    l.q,
    l.q_below,
    l.q_wide,
    l.skill_points
  from metrics.trader_results t
  left join core.ledger_traders n on n.trader = t.trader
  left join counted c on c.trader = t.trader
  left join metrics.trader_styles s on s.trader_index = n.trader_index
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
  t.role,
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
    when t.role = 'market_maker' then 'market_maker'
    when t.set_share >= r.sets then 'arbitrageur'
    when t.q <= r.sure and t.skill_points > 0 then 'sharp'
    when t.q_below <= r.sure and t.skill_points < 0 and t.roi < 0 then 'fade_target'
    when t.q_wide <= r.likely and t.skill_points > 0 and t.role = 'taker' and t.dip_share >= r.stake then 'value_hunter'
    when t.rise_share >= r.stake then 'momentum_chaser'
    when t.longshot_share >= r.stake then 'longshot_hunter'
    when t.favorite_share >= r.stake then 'favorite_backer'
    when t.volume_90d_pct <= r.whale_pct and t.volume_90d_usd >= r.whale_usd then 'whale'
    else 'generalist'
  end as archetype
from traits t
cross join rules r
