-- An interval that a source covers without a gap. If two sources hold the same rows, the source with the higher
-- precedence counts inside its intervals. The other source counts outside of them. An open unit covers the time up to
-- its last reading; a closed unit covers all time. `is_proved` is false if rows were cut off or rejected. An interval
-- ends where `is_proved` changes, so that one bad hour of a feed does not affect the year around it. Units of blocks have
-- the instants of their blocks: from the end of the unit before, or else from the first stored block, to the last block.
-- Before the first block of a venue it has no log, so a unit that has that block covers all time before.
-- columns: dataset, part, key, source, from_at; to_at, precedence SMALLINT, is_proved
with block_units as (
  select *
  from lake.coverage
  where state in ('done', 'head', 'unverified', 'quarantined') and to_block is not null and dataset in ('fills', 'activity')
),
stored_blocks as (
  select b.source, b.block, b.ts
  from lake.blocks b
  where b.source in (select source from block_units)
),
-- The last block of each unit is stored, and so are those with a log.
started as (
  select u.*, b.ts as first_at
  from block_units u
  asof join stored_blocks b on b.source = u.source and b.block >= u.from_block
),
dated as (
  select
    u.* replace (
      case
        when u.from_block <= v.first_block then timestamp '1970-01-01'
        else coalesce(p.ts + interval 1 microsecond, u.first_at)
      end as from_at,
      e.ts + interval 1 microsecond as to_at
    )
  from started u
  join stored_blocks e on e.source = u.source and e.block = u.to_block - 1
  left join core.venues v on v.venue = u.part
  left join stored_blocks p on p.source = u.source and p.block = u.from_block - 1
),
units as (
  select
    dataset,
    part,
    key,
    source,
    from_at,
    coalesce(to_at, timestamp '9999-01-01') as to_at,
    precedence,
    state in ('done', 'head') as is_proved
  from lake.coverage
  where state in ('done', 'head', 'unverified', 'quarantined') and from_at is not null
  union all
  select dataset, part, key, source, from_at, to_at, precedence, state in ('done', 'head')
  from dated
),
marked as (
  select
    *,
    from_at > max(to_at) over (
      partition by dataset, part, key, source, is_proved order by from_at, to_at
      rows between unbounded preceding and 1 preceding
    ) as is_start
  from units
),
numbered as (
  select
    *,
    sum(coalesce(is_start, true)::integer) over (
      partition by dataset, part, key, source, is_proved order by from_at, to_at
    ) as stretch
  from marked
)
select
  dataset,
  part,
  key,
  source,
  min(from_at) as from_at,
  max(to_at) as to_at,
  max(precedence) as precedence,
  is_proved
from numbered
group by dataset, part, key, source, is_proved, stretch
