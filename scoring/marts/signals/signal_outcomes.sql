-- The outcomes of signals that are due for a grade (`metrics.signal_outcomes`).
-- columns: id, horizon_s; type, measure, value_before DOUBLE, value_after DOUBLE, is_hit, baseline_rate?, n_baseline
from metrics.signal_outcomes
