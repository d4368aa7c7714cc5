-- The recent trades of tagged wallets on chains (`metrics.swap_candidates`), for the detection between two scores.
-- columns: wallet, chain, tx, token, direction; ts, usd, confidence, label, symbol?, archetype, p DOUBLE
from metrics.swap_candidates
