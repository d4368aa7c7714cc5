-- What all traders of a kind and range are like, as their closing line values are shrunk by (`metrics.clv`). `s2`: the
-- variance of one event within a trader, of the `n_pooled` who have at least 10 events. `tau2`: the variance between
-- traders beyond what chance explains; 0 means that nobody can be told from anybody. `mu`: the mean of the traders.
-- columns: range, kind; n_traders, n_pooled, s2 DOUBLE, tau2 DOUBLE, mu DOUBLE
select range, kind, n_traders, n_pooled, s2, tau2, mu
from metrics.clv_priors
