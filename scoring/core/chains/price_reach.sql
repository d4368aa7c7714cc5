-- The reach of the trade in a token in the 24 hours that end with its five minutes: the numbers of different pools and
-- of different senders in its prints. Five minutes without a print have no row.
-- columns: chain, token, ts; n_pools, n_senders
with seen as (
  select distinct chain, token, 'pool' as kind, pool as member, bucket_at from core.pool_prints
  union all
  select distinct chain, token, 'sender', sender, bucket_at from core.pool_prints
),
neighbours as (
  select
    *,
    lag(bucket_at) over (partition by chain, token, kind, member order by bucket_at) as before_at,
    lead(bucket_at) over (partition by chain, token, kind, member order by bucket_at) as after_at
  from seen
),
-- A member counts from its first print until a day after its last, unless a day passes in between.
steps as (
  select chain, token, kind, bucket_at as ts, 1 as step
  from neighbours
  where before_at is null or bucket_at - before_at >= interval 24 hours
  union all
  select chain, token, kind, bucket_at + interval 24 hours, -1
  from neighbours
  where after_at is null or after_at - bucket_at >= interval 24 hours
),
changes as (
  select
    chain,
    token,
    ts,
    coalesce(sum(step) filter (kind = 'pool'), 0) as pools,
    coalesce(sum(step) filter (kind = 'sender'), 0) as senders
  from steps
  group by chain, token, ts
),
counts as (
  select
    chain,
    token,
    ts,
    sum(pools) over (partition by chain, token order by ts) as n_pools,
    sum(senders) over (partition by chain, token order by ts) as n_senders
  from changes
),
buckets as (
  select distinct chain, token, bucket_at as ts from core.pool_prints
)
select b.chain, b.token, b.ts, c.n_pools, c.n_senders
from buckets b
asof join counts c on c.chain = b.chain and c.token = b.token and c.ts <= b.ts
