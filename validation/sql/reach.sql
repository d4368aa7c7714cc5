-- The coverage of the fills of a period's markets. `n_markets` counts markets that existed before the clock and had not
-- closed at the start of the period, `core.period`. `n_covered` counts the markets with coverage from that start to the
-- clock, or to their close. Their own history, a feed, or both in succession may give the coverage. An anonymous
-- venue is left out: it names no traders, whose results are compared here.
-- columns: as_of; n_markets, n_covered
with lives as (
  select
    m.venue,
    m.market_id,
    substr(m.market_id, length(m.venue) + 2) as key,
    greatest(m.created_at, p.from_at) as from_at,
    least(m.closed_at, m.resolved_at, c.as_of) as to_at
  from core.markets m
  cross join core.period p
  cross join core.clock c
  anti join core.venues v on v.venue = m.venue and v.is_anonymous
  where coalesce(m.created_at < c.as_of, true)
    and coalesce(least(m.closed_at, m.resolved_at) > p.from_at, true)
),
stretches as (
  select part, key, from_at, to_at
  from staging.coverage_intervals
  where dataset = 'fills'
),
own as (
  select l.venue, l.market_id, l.to_at, coalesce(max(s.to_at), l.from_at) as reached_at
  from lives l
  left join stretches s on s.part = l.venue and s.key = l.key and s.from_at <= l.from_at and s.to_at > l.from_at
  group by l.venue, l.market_id, l.from_at, l.to_at
),
covered as (
  select distinct o.market_id
  from own o
  left join stretches s on s.part = o.venue and s.key = '' and s.from_at <= o.reached_at
  where greatest(o.reached_at, s.to_at) >= o.to_at
)
select c.as_of, (select count(*) from lives) as n_markets, (select count(*) from covered) as n_covered
from core.clock c
