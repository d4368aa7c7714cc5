-- The parameters by which the closing line values of a kind and range are shrunk (`metrics.clv`). `s2` is the
-- variance of one event within a trader, pooled over the `n_pooled` traders with at least 10 events. `tau2` is the
-- variance between traders beyond chance; 0 means that they cannot be distinguished. `mu` is the population mean.
-- columns: range, kind; n_traders, n_pooled, s2 DOUBLE, tau2 DOUBLE, mu DOUBLE
select range, kind, n_traders, n_pooled, s2, tau2, mu
from metrics.clv_priors
