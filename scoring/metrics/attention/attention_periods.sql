-- The two periods of a range: `current` ends at the clock, `before` where `current` begins. The first instant is
-- excluded.
-- columns: range, period; from_at, to_at, n_hours
select
  d.range,
  p.period,
  c.as_of - (p.n + 1) * d.days * interval 1 day as from_at,
  c.as_of - p.n * d.days * interval 1 day as to_at,
  24 * d.days as n_hours
from core.clock c
cross join (values ('7d', 7), ('30d', 30)) as d(range, days)
cross join (values ('current', 0), ('before', 1)) as p(period, n)
