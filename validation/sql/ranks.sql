-- The leaderboard by closing line value, all-time, as of the clock, with what its traders are ranked by: closing line
-- value, shrunk; PnL and win rate, raw. As they are served: what is validated is the list that people see.
-- columns: trader; clv_kind, clv_points, pnl_usd, win_rate
select wallet as trader, clv_kind, clv_score as clv_points, pnl as pnl_usd, win_rate
from marts.pm_traders
where range = 'all' and sort = 'clv'
