-- Whether the closes that closing line value rests on can be trusted, as of the clock (`metrics.clv_guards` says how it is
-- judged): what they come to on average beside what they said, by kind of close, over all markets and over the fills
-- that beat their close. A guard that is not held says that `clv_score` of that kind means nothing now.
-- columns: kind, subset; n_markets, n_events, gap DOUBLE, se? DOUBLE, extreme_share, is_held?
select kind, subset, n_markets, n_events, gap, se, extreme_share, is_held
from metrics.clv_guards
