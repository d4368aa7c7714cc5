-- The code and owner of an address: its last description at or before the clock, otherwise its first later one
-- (`is_hindsight`).
-- columns: chain, address; seen_at, code_hash?, kind?, owner?, first_tx_at?, source, is_hindsight
with ranked as (
  select
    r.*,
    r.seen_at > c.as_of as is_hindsight,
    row_number() over (
      partition by r.chain, r.address
      order by
        r.seen_at > c.as_of,
        p.precedence desc nulls last,
        case when r.seen_at > c.as_of then r.seen_at end,
        r.seen_at desc,
        r.source
    ) as nth
  from lake.addresses r
  cross join core.clock c
  left join staging.precedences p on p.dataset = 'addresses' and p.source = r.source
)
select chain, address, seen_at, code_hash, kind, owner, first_tx_at, source, is_hindsight
from ranked
where nth = 1
