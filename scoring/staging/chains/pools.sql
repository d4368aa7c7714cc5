-- A pool at the clock: its last description at or before the clock, otherwise its first later one (`is_hindsight`), since
-- its tokens are fixed at creation. Entry i of `tokens` is coin i of the pool's events.
-- columns: chain, pool; seen_at, family, tokens VARCHAR[], factory?, created_at?, created_tx?, source, is_hindsight
with ranked as (
  select
    r.*,
    r.seen_at > c.as_of as is_hindsight,
    row_number() over (
      partition by r.chain, r.pool
      order by
        r.seen_at > c.as_of,
        p.precedence desc nulls last,
        case when r.seen_at > c.as_of then r.seen_at end,
        r.seen_at desc,
        r.source
    ) as nth
  from lake.pools r
  cross join core.clock c
  left join staging.precedences p on p.dataset = 'pools' and p.source = r.source
)
select chain, pool, seen_at, family, tokens, factory, created_at, created_tx, source, is_hindsight
from ranked
where nth = 1
