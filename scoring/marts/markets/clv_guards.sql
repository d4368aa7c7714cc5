-- Tests of the closes behind closing line value, as of the clock (`metrics.clv_guards` defines them). They compare
-- payouts with closes, by kind of close, over all markets and over the fills that beat their close. If `is_held` is
-- false, `clv_score` of that kind is meaningless now.
-- columns: kind, subset; n_markets, n_events, gap DOUBLE, se? DOUBLE, extreme_share, is_held?
select kind, subset, n_markets, n_events, gap, se, extreme_share, is_held
from metrics.clv_guards
