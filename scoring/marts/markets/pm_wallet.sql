-- Every trader's profile over all time, as `/v1/pm-wallet` serves it, with the reason if the trader is not listed. A
-- trader is all addresses of an owner, as far as they are known (`marts.pm_addresses`).
-- `clv_score` is the closing line value of all time beyond 0 and the trader's role (`skill_points` of
-- `metrics.clv_scores`), `clv_se` its standard error. Without such a value, and for `unproven` traders, it is null
-- without kind, error and size; with a kind it is null while the guard of the kind does not hold. `clv_reason_code` and
-- `clv_reason` say why it is null. `clv_edge_points` is closing line value as it was observed, `clv_lower_points` to
-- `clv_upper_points` its 95 % interval, `clv_role_points` the mean of the trader's role with the error `clv_role_se`.
-- `clv_points` is the estimate of the true value that follows from both, with the error `clv_points_se`. `clv_q` is the
-- false discovery rate at which the trader would be called sharp. `scored_share` is the share of scored fills among
-- those that could have a close of that kind. `traits` is the evidence of the archetype (`metrics.trader_traits`) and of
-- wash trades (`metrics.wash_shares`).
-- `received_usd` and `given_usd` are shares moved from and to others, at the price of the moment: parts of the result
-- that no payment shows (`metrics.trader_transfers`).
-- `acts_with` is the first wallet of those that act as one with this one (`metrics.acting_groups`, with the evidence in
-- `metrics.acting_pairs`); null if there is none.
-- The figures from `entry_price` to `n_categories` say how the trader holds and loses (`metrics.trader_habits`).
--
-- `unrealized_usd` is the value of the shares that are still held, at the market's price, minus their cost.
-- `income_usd` is rewards and rebates, `combo_usd` the net cash of parlays. `roi` is the result over the cash paid into
-- closed markets. `expected_win_rate` is the win rate that chance gives at the prices paid.
-- columns: address; total_pnl DECIMAL(38,2), win_rate, clv_score? DECIMAL(9,6), markets_traded INTEGER, archetype, is_complete,
-- unlisted_code?, unlisted_reason?, untracked DECIMAL(38,2), unrealized_usd DECIMAL(38,2), income_usd DECIMAL(38,2), combo_usd
-- DECIMAL(38,2), has_combos BOOLEAN, roi? DOUBLE, n_closed, n_won, shrunk_win_rate, lower_win_rate, expected_win_rate?,
-- role, maker_share?, clv_kind?, clv_se? DOUBLE, clv_n_eff? DOUBLE, clv_q? DOUBLE, clv_edge_points?, clv_lower_points?,
-- clv_upper_points?, clv_role_points?, clv_role_se? DOUBLE, clv_points? DECIMAL(9,6), clv_points_se? DOUBLE, is_trusted?,
-- clv_reason_code?, clv_reason?, scored_share?, volume_usd, n_fills, both_sides_share, net_share, entry_price? DECIMAL(9,6),
-- holding_s? DOUBLE,
-- drawdown_usd, top_category, top_category_share, n_categories, acts_with?, is_wash_like, received_usd, given_usd,
-- traits MAP(VARCHAR, DOUBLE)
with undescribed as (
  select trader
  from core.history_completeness
  where n_undescribed > 0
),
-- A fill without a description is in no result. Only its trader's markets are counted by their long ids.
markets as (
  select r.trader, count(*) as n_markets
  from core.trader_markets r
  anti join undescribed u on u.trader = r.trader
  where r.n_fills > 0
  group by r.trader
  union all
  select a.trader, count(distinct f.market_id)
  from staging.fills f
  join core.trader_addresses a on a.wallet = f.trader
  semi join undescribed u on u.trader = a.trader
  group by a.trader
),
scored as (
  select c.*
  from metrics.clv_scores c
  join metrics.trader_traits t on t.trader = c.trader
  where c.range = 'all' and t.archetype <> 'unproven'
)
select
  r.trader as address,
  r.realized_usd::decimal(38, 2) as total_pnl,
  r.win_rate,
  case when c.is_trusted then c.skill_points end as clv_score,
  coalesce(m.n_markets, 0) as markets_traded,
  t.archetype,
  h.is_complete,
  case
    when h.reason_code is not null then h.reason_code
    when t.archetype = 'unproven' then 'unproven'
    when w.is_wash_like then 'wash'
    when x.is_material then 'transferred'
  end as unlisted_code,
  case
    when h.reason is not null then h.reason
    when t.archetype = 'unproven' then 'fewer than 20 fills or 10 closed markets'
    when w.is_wash_like then 'a fifth of its volume or more is with itself, or with one partner'
    when x.is_material then 'shares moved from or to others count at the price of the moment'
  end as unlisted_reason,
  r.untracked_usd::decimal(38, 2) as untracked,
  b.unrealized_usd::decimal(38, 2) as unrealized_usd,
  b.income_usd::decimal(38, 2) as income_usd,
  b.combo_usd::decimal(38, 2) as combo_usd,
  b.n_combo_fills > 0 as has_combos,
  r.roi,
  r.n_closed,
  r.n_won,
  r.shrunk_win_rate,
  r.lower_win_rate,
  r.expected_win_rate,
  t.role,
  t.maker_share,
  c.kind as clv_kind,
  c.skill_se as clv_se,
  c.n_eff as clv_n_eff,
  c.q as clv_q,
  c.raw_points as clv_edge_points,
  c.raw_lower_points as clv_lower_points,
  c.raw_upper_points as clv_upper_points,
  c.mu_points as clv_role_points,
  c.mu_se as clv_role_se,
  c.clv_points,
  c.se as clv_points_se,
  c.is_trusted,
  case
    when t.archetype = 'unproven' then 'unproven'
    when c.kind is null then 'no_close'
    when not c.is_trusted then 'not_trusted'
  end as clv_reason_code,
  case
    when t.archetype = 'unproven' then 'fewer than 20 fills or 10 closed markets'
    when c.kind is null then 'none of its fills has a known close, or the noise of closes is not known yet'
    when not c.is_trusted then 'the closes of ' || c.kind || ' are not trusted'
  end as clv_reason,
  c.scored_share,
  r.volume_usd,
  t.n_fills,
  t.both_sides_share,
  t.net_share,
  a.entry_price,
  a.holding_s,
  a.drawdown_usd,
  a.top_category,
  a.top_category_share,
  a.n_categories,
  g.acts_with,
  coalesce(w.is_wash_like, false) as is_wash_like,
  coalesce(x.received_usd, 0) as received_usd,
  coalesce(x.given_usd, 0) as given_usd,
  map_from_entries([e for e in [
    struct_pack(key := 'n_fills', value := t.n_fills::double),
    struct_pack(key := 'n_closed', value := t.n_closed::double),
    struct_pack(key := 'volume_usd', value := r.volume_usd::double),
    struct_pack(key := 'maker_share', value := t.maker_share::double),
    struct_pack(key := 'both_sides_share', value := t.both_sides_share::double),
    struct_pack(key := 'net_share', value := t.net_share::double),
    struct_pack(key := 'set_share', value := t.set_share::double),
    struct_pack(key := 'dip_share', value := t.dip_share::double),
    struct_pack(key := 'rise_share', value := t.rise_share::double),
    struct_pack(key := 'longshot_share', value := t.longshot_share::double),
    struct_pack(key := 'favorite_share', value := t.favorite_share::double),
    struct_pack(key := 'self_share', value := w.self_share::double),
    struct_pack(key := 'partner_share', value := w.partner_share::double),
    struct_pack(key := 'volume_90d_usd', value := t.volume_90d_usd::double),
    struct_pack(key := 'volume_90d_pct', value := t.volume_90d_pct::double)
  ] if e.value is not null]) as traits
from metrics.trader_results r
join metrics.trader_traits t on t.trader = r.trader
join core.history_completeness h on h.trader = r.trader
left join markets m on m.trader = r.trader
join metrics.trader_balances b on b.trader = r.trader
join metrics.trader_habits a on a.trader = r.trader
left join metrics.wash_shares w on w.trader = r.trader
left join metrics.trader_transfers x on x.trader = r.trader
left join metrics.acting_groups g on g.trader = r.trader
left join scored c on c.trader = r.trader
where r.range = 'all'
