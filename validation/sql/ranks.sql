-- The all-time leaderboard by closing line value, as of the clock, with the scores of its traders. Closing line value,
-- PnL and win rate are as served, since validation concerns the served list; `clv_points` is the `clv_score`. `raw_points` is closing line value without
-- shrinkage. `shrunk_roi` is the result over the cash paid into closed markets, as if 20 more markets had none.
-- `shrunk_payout_points` is the payout minus the price paid over fills of resolved markets, in percentage points a
-- share, weighted as closing line value is, as if 20 more clusters had none.
-- columns: trader; role, clv_kind, clv_points, raw_points DECIMAL(18,12), shrunk_payout_points DECIMAL(18,12), shrunk_roi DOUBLE,
-- pnl_usd, win_rate
with listed as (
  select wallet as trader, role, clv_kind, clv_score as clv_points, pnl as pnl_usd, win_rate, n_closed, roi
  from marts.pm_traders
  where range = 'all' and sort = 'clv'
),
clusters as (
  select
    f.trader,
    f.category,
    f.close_at::date as day,
    sum((
      100 * case f.side
        when 'buy' then o.payout * f.size - f.risk_usd
        else f.size - f.risk_usd - o.payout * f.size
      end
    )::decimal(38, 12)) as gain,
    sum(f.size) as size,
    sum(f.risk_usd)::double as risk
  from metrics.clv_fills f
  join listed l on l.trader = f.trader and l.clv_kind = f.kind
  join core.outcomes o on o.market_id = f.market_id and o.outcome = f.outcome
  where (f.left_out is null or f.left_out = 'no_close') and o.payout is not null
  group by f.trader, f.category, f.close_at::date
  having sum(f.risk_usd) > 0
),
capped as (
  select *, least(risk, quantile_cont(risk, 0.95) over (partition by trader)) as weight
  from clusters
),
paid as (
  select
    trader,
    sum((weight * gain::double / size::double)::decimal(38, 12)) / sum(weight::decimal(38, 6)) as payout_points,
    count(*) as n_clusters
  from capped
  group by trader
)
select
  l.trader,
  l.role,
  l.clv_kind,
  l.clv_points,
  v.raw_points,
  coalesce(p.payout_points * p.n_clusters / (p.n_clusters + 20), 0) as shrunk_payout_points,
  coalesce(l.roi * l.n_closed / (l.n_closed + 20), 0) as shrunk_roi,
  l.pnl_usd,
  l.win_rate
from listed l
join metrics.clv v on v.trader = l.trader and v.kind = l.clv_kind and v.range = 'all'
left join paid p on p.trader = l.trader
