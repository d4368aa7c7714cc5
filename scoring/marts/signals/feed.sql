-- The signals that were published in the last 30 days, the highest rank first: by log2(score) + timestamp / 6 hours. An
-- older signal so needs twice the score for each 6 hours, and two signals never change places. `headline` and
-- `entity_masked` are what a caller below `tier_required` gets in place of `summary` and `entity`.
-- publication: pulse
-- columns: rank; id, type, entity, summary, timestamp TIMESTAMP, tier_required, headline, entity_masked, symbol?, direction,
-- score SMALLINT, evidence STRUCT(kind VARCHAR, ref VARCHAR, ts TIMESTAMP, "value" DOUBLE)[]
with published as (
  select f.*
  from lake.feed f
  cross join core.clock c
  where f.tick_at <= c.as_of and f.published_at > c.as_of - interval 720 hours
  -- Two nodes of which one lost its lease find the same signal, under the same id.
  qualify row_number() over (partition by f.id order by f.published_at) = 1
),
parsed as (
  select
    *,
    from_json(
      evidence,
      '[{"kind": "VARCHAR", "ref": "VARCHAR", "ts": "BIGINT", "value": "DOUBLE"}]'
    ) as listed
  from published
)
select
  row_number() over (
    order by log2(greatest(score, 1)) + epoch_us(published_at) / 21600000000 desc, published_at desc, id
  ) as rank,
  id,
  type,
  entity,
  summary,
  published_at as timestamp,
  tier_required,
  headline,
  case
    when type = 'wallet' then left(entity, 4) || '…' || right(entity, 2)
    when type = 'market' then 'market'
    else 'asset'
  end as entity_masked,
  symbol,
  direction,
  score,
  list_transform(
    listed,
    lambda one: struct_pack(kind := one.kind, ref := one.ref, ts := make_timestamp(one.ts), value := one."value")
  ) as evidence
from parsed
