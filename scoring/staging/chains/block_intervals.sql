-- A range of blocks that a source covers without a gap, `to_block` exclusive. A row of a block counts if a range of its
-- source has the block. If several sources have it, the source with the highest precedence counts there; `preference`
-- is 1 for the best source of a dataset. `is_proved` is false if rows were cut off or rejected.
-- columns: dataset, part, source, from_block; to_block, preference INTEGER, is_proved
with units as (
  select dataset, part, source, from_block, to_block, precedence, state in ('done', 'head') as is_proved
  from lake.coverage
  where state in ('done', 'head', 'unverified', 'quarantined') and from_block is not null and key = ''
),
sources as (
  select dataset, source, rank() over (partition by dataset order by max(precedence) desc, source) as preference
  from units
  group by dataset, source
),
marked as (
  select
    *,
    from_block > max(to_block) over (
      partition by dataset, part, source, is_proved order by from_block, to_block
      rows between unbounded preceding and 1 preceding
    ) as is_start
  from units
),
numbered as (
  select
    *,
    sum(coalesce(is_start, true)::integer) over (
      partition by dataset, part, source, is_proved order by from_block, to_block
    ) as range_index
  from marked
),
ranges as (
  select dataset, part, source, is_proved, min(from_block) as from_block, max(to_block) as to_block
  from numbered
  group by dataset, part, source, is_proved, range_index
)
select r.dataset, r.part, r.source, r.from_block, r.to_block, s.preference, r.is_proved
from ranges r
join sources s on s.dataset = r.dataset and s.source = r.source
