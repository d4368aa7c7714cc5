-- A token as its contract describes it: the last description at or before the clock, otherwise the first later one
-- (`is_hindsight`), since a contract does not change its decimals.
-- columns: chain, token; seen_at, symbol?, name?, decimals? UTINYINT, standard, source, is_hindsight
with ranked as (
  select
    r.*,
    r.seen_at > c.as_of as is_hindsight,
    row_number() over (
      partition by r.chain, r.token
      order by
        r.seen_at > c.as_of,
        p.precedence desc nulls last,
        case when r.seen_at > c.as_of then r.seen_at end,
        r.seen_at desc,
        r.source
    ) as nth
  from lake.tokens r
  cross join core.clock c
  left join staging.precedences p on p.dataset = 'tokens' and p.source = r.source
)
select chain, token, seen_at, symbol, name, decimals, standard, source, is_hindsight
from ranked
where nth = 1
