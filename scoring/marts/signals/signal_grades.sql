-- The hit rates of published signals beside the hit rates of chance (`metrics.signal_grades`).
-- columns: type, horizon_s; n_signals, n_hits, hit_rate, baseline_rate?, gap? DOUBLE, gap_lower? DOUBLE, gap_upper? DOUBLE
from metrics.signal_grades
