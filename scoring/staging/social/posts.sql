-- A post up to the clock, once: from the source with the highest precedence, then the earliest. A post is excluded if
-- it or its author was deleted before its hour closed.
-- columns: platform, post_id; ts, author, kind, simhash UBIGINT, source
with known as (
  select p.platform, p.post_id, p.ts, p.author, p.kind, p.simhash, p.source
  from lake.posts p
  left join staging.precedences c on c.dataset = 'posts' and c.source = p.source
  where p.ts <= (select as_of from core.clock)
  qualify row_number() over (
    partition by p.platform, p.post_id
    order by coalesce(c.precedence, 0) desc, p.ts, p.source, p.author, p.kind, p.simhash
  ) = 1
),
deleted as (
  select platform, kind, target, ts
  from lake.tombstones
  where ts <= (select as_of from core.clock)
)
select k.platform, k.post_id, k.ts, k.author, k.kind, k.simhash, k.source
from known k
where not exists (
    from deleted d
    where d.kind = 'post' and d.platform = k.platform and d.target = k.post_id
      and d.ts < date_trunc('hour', k.ts) + interval 1 hour
  )
  and not exists (
    from deleted d
    where d.kind = 'author' and d.platform = k.platform and d.target = k.author and d.ts >= k.ts
      and d.ts < date_trunc('hour', k.ts) + interval 1 hour
  )
