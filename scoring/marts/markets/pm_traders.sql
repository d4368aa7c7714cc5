-- The leaderboard for each range and sort, ordered by the served value, then by address. It lists traders with a
-- complete history, an archetype other than `unproven`, a market that closed in the range, and no volume like wash
-- trades (`metrics.wash_shares`). The list sorted by win rate has only traders with at least 10 markets closed in the
-- range. `clv_score` is the closing line value of the range (`metrics.clv_scores`), or null without one, and while the
-- guards of its kind do not hold. The list sorted by it has only traders with an effective sample of at least 10
-- clusters. `expected_win_rate` is the win rate that chance gives at the prices paid.
-- columns: range, sort, rank; wallet, pnl DECIMAL(38,2), win_rate, clv_score? DECIMAL(9,6), archetype, n_closed, lower_win_rate,
-- shrunk_win_rate, expected_win_rate?, roi? DOUBLE, clv_kind?, clv_se? DOUBLE, clv_n_eff? DOUBLE, clv_q? DOUBLE
with listed as (
  select
    r.range,
    r.trader as wallet,
    r.realized_usd::decimal(38, 2) as pnl,
    r.win_rate,
    (case when c.is_trusted then c.clv_points end)::decimal(9, 6) as clv_score,
    t.archetype,
    r.n_closed,
    r.lower_win_rate,
    r.shrunk_win_rate,
    r.expected_win_rate,
    r.roi,
    c.kind as clv_kind,
    c.se as clv_se,
    c.n_eff as clv_n_eff,
    c.q as clv_q
  from metrics.trader_results r
  join metrics.trader_traits t on t.trader = r.trader
  left join metrics.clv_scores c on c.trader = r.trader and c.range = r.range
  left join metrics.wash_shares w on w.trader = r.trader
  where r.is_complete and t.archetype <> 'unproven' and r.n_closed > 0 and not coalesce(w.is_wash_like, false)
),
sorted as (
  select *, 'pnl' as sort, pnl::decimal(38, 6) as figure from listed
  union all
  select *, 'win_rate', win_rate from listed where n_closed >= 10
  union all
  select *, 'clv', clv_score from listed where clv_n_eff >= 10 - 1e-9 and clv_score is not null
)
select
  range,
  sort,
  row_number() over (partition by range, sort order by figure desc, wallet) as rank,
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
  clv_kind,
  clv_se,
  clv_n_eff,
  clv_q
from sorted
