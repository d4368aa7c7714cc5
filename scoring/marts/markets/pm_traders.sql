-- The leaderboard for each range and sort, ordered by the served value, then by address. It lists traders with a
-- complete history, an archetype other than `unproven`, a market that closed in the range, no volume like wash trades
-- (`metrics.wash_shares`), and less than a twentieth of its cash in shares moved from or to others
-- (`metrics.trader_transfers`). The list sorted by win rate has only traders with at least 10 markets closed in the
-- range. `clv_score` is the closing line value of the range beyond 0 and the trader's role (`skill_points` of
-- `metrics.clv_scores`), or null without one, and while the guards of its kind do not hold. The list sorted by it has
-- only traders with an effective sample of at least 10 clusters. `clv_edge_points` is closing line value as it was
-- observed, `clv_lower_points` to `clv_upper_points` its 95 % interval, `clv_role_points` the mean of the trader's role.
-- `expected_win_rate` is the win rate that chance gives at the prices paid. `acts_with` is the first wallet of those that
-- act as one with this one (`metrics.acting_groups`); `rank_once` counts only the best of them, and is null for the others.
-- columns: range, sort, rank; wallet, pnl DECIMAL(38,2), win_rate, clv_score? DECIMAL(9,6), archetype, n_closed, lower_win_rate,
-- shrunk_win_rate, expected_win_rate?, roi? DOUBLE, role, clv_kind?, clv_se? DOUBLE, clv_n_eff? DOUBLE, clv_q? DOUBLE,
-- clv_edge_points?, clv_lower_points?, clv_upper_points?, clv_role_points?, acts_with?, rank_once? INTEGER
with listed as (
  select
    r.range,
    r.trader as wallet,
    r.realized_usd::decimal(38, 2) as pnl,
    r.win_rate,
    (case when c.is_trusted then c.skill_points end)::decimal(9, 6) as clv_score,
    t.archetype,
    r.n_closed,
    r.lower_win_rate,
    r.shrunk_win_rate,
    r.expected_win_rate,
    r.roi,
    t.role,
    c.kind as clv_kind,
    c.skill_se as clv_se,
    c.n_eff as clv_n_eff,
    c.q as clv_q,
    c.raw_points as clv_edge_points,
    c.raw_lower_points as clv_lower_points,
    c.raw_upper_points as clv_upper_points,
    c.mu_points as clv_role_points,
    g.acts_with
  from metrics.trader_results r
  join metrics.trader_traits t on t.trader = r.trader
  left join metrics.clv_scores c on c.trader = r.trader and c.range = r.range
  left join metrics.wash_shares w on w.trader = r.trader
  left join metrics.trader_transfers x on x.trader = r.trader
  left join metrics.acting_groups g on g.trader = r.trader
  where r.is_complete and t.archetype <> 'unproven' and r.n_closed > 0 and not coalesce(w.is_wash_like, false)
    and not coalesce(x.is_material, false)
),
sorted as (
  select *, 'pnl' as sort, pnl::decimal(38, 6) as figure from listed
  union all
  select *, 'win_rate', win_rate from listed where n_closed >= 10
  union all
  select *, 'clv', clv_score from listed where clv_n_eff >= 10 - 1e-9 and clv_score is not null
),
ranked as (
  select
    *,
    row_number() over (partition by range, sort order by figure desc, wallet) as rank,
    row_number() over (partition by range, sort, coalesce(acts_with, wallet) order by figure desc, wallet) = 1 as is_best
  from sorted
)
select
  range,
  sort,
  rank,
  wallet,
  pnl,
  win_rate,
  clv_score,
  archetype,
  n_closed,
  lower_win_rate,
  shrunk_win_rate,
  expected_win_rate,
  roi,
  role,
  clv_kind,
  clv_se,
  clv_n_eff,
  clv_q,
  clv_edge_points,
  clv_lower_points,
  clv_upper_points,
  clv_role_points,
  acts_with,
  case when is_best then count(*) filter (is_best) over (partition by range, sort order by rank) end as rank_once
from ranked
