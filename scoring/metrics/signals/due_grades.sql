-- The outcomes of the last scores (`metrics.signal_outcomes`) that no stored grade has yet: those that are stored next.
-- columns: id, horizon_s; type, measure, value_before DOUBLE, value_after DOUBLE, is_hit, baseline_rate?, n_baseline
select *
from metrics.signal_outcomes o
where not exists (from lake.grades g where g.id = o.id and g.horizon_s = o.horizon_s)
