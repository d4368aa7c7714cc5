-- The parameters by which the closing line values of a kind and range are shrunk (`metrics.clv`). `s2` is the variance
-- of one cluster within a trader, pooled over the `n_pooled` traders with at least 10 clusters. `s2_price` is the same
-- for each unit of p (1 - p). `tau2` is the variance between traders beyond chance; 0 means that they cannot be
-- distinguished. The population mean is `b0` + `b1` x the share that a trader made.
-- columns: range, kind; n_traders, n_pooled, s2 DOUBLE, s2_price DOUBLE, tau2 DOUBLE, b0 DOUBLE, b1 DOUBLE
select range, kind, n_traders, n_pooled, s2, s2_price, tau2, b0, b1
from metrics.clv_priors
