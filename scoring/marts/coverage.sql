-- The stored data of each venue, chain and social source: the units that had begun by the clock, by their current state,
-- for each dataset. `to_at` is the end of what was read, at most the clock: a closed history has no end. Units of
-- blocks have the instants of the first and the last stored block of the chain.
-- columns: kind, part, dataset; n_done, n_head, n_missing, n_unavailable, n_quarantined, n_unverified, n_rows, from_at?, to_at?
with chains as (
  select chain, min(ts) as first_at, max(ts) as last_at
  from lake.blocks
  group by chain
),
units as (
  select
    u.* exclude (from_at, to_at),
    coalesce(u.from_at, if(u.to_block is not null and u.n_rows > 0, b.first_at, null)) as from_at,
    coalesce(u.to_at, if(u.to_block is not null and u.n_rows > 0, b.last_at, null)) as to_at
  from lake.coverage u
  left join chains b on b.chain = u.part
)
select
  case
    when part in (select chain from core.chains) then 'chain'
    when part in (select part from lake.coverage where dataset = 'posts') then 'social'
    else 'venue'
  end as kind,
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
  -- An end that is null would count as the clock, since least ignores nulls.
  max(least(to_at, c.as_of)) filter (to_at is not null or (state = 'done' and from_at is not null)) as to_at
from units
cross join core.clock c
where (from_at is null or from_at <= c.as_of)
  -- Published signals are our own, and a list of assets is of no venue.
  and dataset not in ('feed', 'grades', 'assets')
group by part, dataset
