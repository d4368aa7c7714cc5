-- The leaderboard for each range and sort, ordered by the served value, then by address. It lists traders with a
-- complete history, an archetype other than `unproven`, and a market that closed in the range. `clv_score` is the
-- closing line value of the range (`metrics.clv_scores`), or 0 without one. The list sorted by it has only traders with
-- an effective sample of at least 10 events.
-- columns: range, sort, rank; wallet, pnl DECIMAL(38,2), win_rate, clv_score DECIMAL(9,6), archetype, n_closed, lower_win_rate,
-- clv_kind?, clv_se? DOUBLE, clv_n_eff? DOUBLE
with listed as (
  select
    r.range,
    r.trader as wallet,
    r.realized_usd::decimal(38, 2) as pnl,
    r.win_rate,
    coalesce(c.clv_points, 0)::decimal(9, 6) as clv_score,
    t.archetype,
    r.n_closed,
    r.lower_win_rate,
    c.kind as clv_kind,
    c.se as clv_se,
    c.n_eff as clv_n_eff
  from metrics.trader_results r
  join metrics.trader_traits t on t.trader = r.trader
  left join metrics.clv_scores c on c.trader = r.trader and c.range = r.range
  where r.is_complete and t.archetype <> 'unproven' and r.n_closed > 0
),
sorted as (
  select *, 'pnl' as sort, pnl::decimal(38, 6) as figure from listed
  union all
  select *, 'win_rate', win_rate from listed
  union all
  select *, 'clv', clv_score from listed where clv_n_eff >= 10
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
  clv_kind,
  clv_se,
  clv_n_eff
from sorted
