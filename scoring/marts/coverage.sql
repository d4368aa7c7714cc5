-- The stored data of each venue and chain: the units that had begun by the clock, by their current state, for each
-- dataset. The instants of units of blocks are unknown.
-- columns: kind, part, dataset; n_done, n_head, n_missing, n_unavailable, n_quarantined, n_unverified, n_rows, from_at?, to_at?
select
  case when part in (select chain from core.chains) then 'chain' else 'venue' end as kind,
  part,
  dataset,
  count(*) filter (state = 'done') as n_done,
  count(*) filter (state = 'head') as n_head,
  count(*) filter (state = 'missing') as n_missing,
  count(*) filter (state = 'unavailable') as n_unavailable,
  count(*) filter (state = 'quarantined') as n_quarantined,
  count(*) filter (state = 'unverified') as n_unverified,
  sum(n_rows) as n_rows,
  min(from_at) filter (from_at > timestamp '1970-01-01') as from_at,
  least(max(to_at), any_value(c.as_of)) as to_at
from lake.coverage
cross join core.clock c
where (from_at is null or from_at <= c.as_of)
  -- Published signals are our own.
  and dataset not in ('feed', 'grades')
group by part, dataset
