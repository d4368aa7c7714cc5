-- The traders whose trades can be signals (`metrics.signal_traders`), for the detection between two scores.
-- columns: trader; clv_points DECIMAL(18,12), se DOUBLE, confidence DOUBLE, n_trades, threshold_usd, tail_share, tail_shape DOUBLE,
-- tail_scale DOUBLE, archetype
from metrics.signal_traders
