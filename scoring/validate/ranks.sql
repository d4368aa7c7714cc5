-- The traders of the leaderboard by closing line value, all-time, as of the clock: whoever has a complete history, is not
-- `unproven`, had something close, and whose closing line value rests on at least 10 events' worth. With what they are
-- ranked by: `clv_points`, shrunk; `pnl_usd`, realized; `win_rate`, as it is.
-- columns: trader; clv_kind, clv_points DECIMAL(18,12), pnl_usd, win_rate DOUBLE
select s.trader, s.kind as clv_kind, s.clv_points, r.realized_usd as pnl_usd, r.win_rate
from metrics.clv_scores s
join metrics.trader_results r on r.trader = s.trader and r.range = 'all'
join metrics.trader_traits t on t.trader = s.trader
where s.range = 'all' and r.is_complete and t.archetype <> 'unproven' and r.n_closed > 0 and s.n_eff >= 10
