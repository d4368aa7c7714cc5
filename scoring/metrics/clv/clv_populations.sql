-- The parameters by which the closing line values of a kind and range are shrunk (`metrics.clv`). `s2` is the variance
-- of one cluster within a trader, pooled over the `n_pooled` traders with at least 10 clusters. `s2_price` is the same
-- for each unit of p (1 - p). `tau2_*` is the variance between traders of a role beyond chance. The mean of a role is
-- b_taken + maker share (b_made + both sides share x b_both + (1 - net share) x b_flat), fitted over `n_fitted` traders.
-- columns: range, kind; n_traders, n_pooled, n_fitted, s2 DOUBLE, s2_price DOUBLE, tau2_taker DOUBLE, tau2_poster DOUBLE,
-- tau2_market_maker DOUBLE, b_taken DOUBLE, b_made DOUBLE, b_both DOUBLE, b_flat DOUBLE
select
  range,
  kind,
  n_traders,
  n_pooled,
  n_fitted,
  s2,
  s2_price,
  tau2_taker,
  tau2_poster,
  tau2_market_maker,
  b_taken,
  b_made,
  b_both,
  b_flat
from metrics.clv_priors
