-- The parameters by which the closing line values of a kind and range are shrunk (`metrics.clv`). `s2` is the variance
-- of one cluster within a trader, pooled over the `n_pooled` traders with at least 10 clusters. `s2_price` is the same
-- for each unit of p (1 - p). The mean of a role is b_taken + maker share (b_made + both sides share x b_both + (1 - net
-- share) x b_flat), fitted over `n_fitted` traders. The variance of skill is `tau2` of `metrics.clv`.
-- columns: range, kind; n_traders, n_pooled, n_fitted, s2 DOUBLE, s2_price DOUBLE, b_taken DOUBLE, b_made DOUBLE,
-- b_both DOUBLE, b_flat DOUBLE
select
  range,
  kind,
  n_traders,
  n_pooled,
  n_fitted,
  s2,
  s2_price,
  b_taken,
  b_made,
  b_both,
  b_flat
from metrics.clv_priors
