-- Tests of the closes behind closing line value, as of the clock (`metrics.clv_guards` defines them). They compare
-- payouts with closes, by kind of close, over all markets and over the fills of traders whose other clusters gained. If
-- `is_held` is false, no `clv_score` of that kind is served, and no trader is sharp, fade_target or value_hunter by it.
-- columns: kind, subset; n_markets, n_clusters, gap DOUBLE, se DOUBLE, slope? DOUBLE, slope_se? DOUBLE, extreme_share, is_held?
select kind, subset, n_markets, n_clusters, gap, se, slope, slope_se, extreme_share, is_held
from metrics.clv_guards
