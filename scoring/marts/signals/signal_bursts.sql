-- The attention of tracked assets as of the scores (`metrics.burst_candidates`), for the detection between two scores.
-- columns: symbol; ts, n_authors, expected DOUBLE, confidence, p DOUBLE,
-- evidence STRUCT(kind VARCHAR, ref VARCHAR, ts TIMESTAMP, "value" DOUBLE)[]
from metrics.burst_candidates
