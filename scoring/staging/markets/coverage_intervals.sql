-- An interval that a source covers without a gap. If two sources hold the same rows, the source with the higher
-- precedence counts inside its intervals. The other source counts outside of them. An open unit covers the time up to
-- its last reading; a closed unit covers all time. `is_proved` is false if rows were cut off or rejected. An interval
-- ends where `is_proved` changes, so that one bad hour of a feed does not affect the year around it.
-- columns: dataset, part, key, source, from_at; to_at, precedence SMALLINT, is_proved
with units as (
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
