-- A pool at the clock: its last description at or before the clock, otherwise its first later one (`is_hindsight`),
-- since its tokens are fixed at creation. Entry i of `tokens` is coin i of the pool's events.
--
-- Any contract can emit the creation of any pool. An id of 32 bytes is the hash of the pool's key, so its creation is
-- its description. The creation of a pool that is a contract counts if the pool's own `factory()` names the emitter.
-- columns: chain, pool; seen_at, family, tokens VARCHAR[], factory?, created_at?, created_tx?, source, is_hindsight
with creations as (
  select
    r.chain,
    r.pool,
    case when length(r.pool) < 66 then r.factory end as factory,
    min(r.created_at) as created_at,
    min_by(r.created_tx, (r.created_at, r.created_tx)) as created_tx
  from lake.pools r
  cross join core.clock c
  where r.created_at <= c.as_of
  group by all
),
ranked as (
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
        r.source,
        r.factory
    ) as nth
  from lake.pools r
  cross join core.clock c
  left join staging.precedences p on p.dataset = 'pools' and p.source = r.source
  where r.created_at is null or length(r.pool) = 66
)
select
  d.chain,
  d.pool,
  d.seen_at,
  d.family,
  d.tokens,
  d.factory,
  b.created_at,
  b.created_tx,
  d.source,
  d.is_hindsight
from ranked d
left join creations b
  on b.chain = d.chain and b.pool = d.pool and (b.factory is null or b.factory = d.factory)
where d.nth = 1
