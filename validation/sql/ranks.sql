-- The all-time leaderboard by closing line value, as of the clock, with the three scores of its traders: closing line
-- value, shrunk; PnL and win rate, raw. The values are as served, since validation concerns the served list.
-- columns: trader; clv_kind, clv_points, pnl_usd, win_rate
select wallet as trader, clv_kind, clv_score as clv_points, pnl as pnl_usd, win_rate
from marts.pm_traders
where range = 'all' and sort = 'clv'
