-- The usual movement of open markets (`metrics.signal_markets`), for the detection between two scores.
-- columns: market_id; question, symbols VARCHAR[], move_scale DOUBLE, n_hours, median_hour_usd
from metrics.signal_markets
