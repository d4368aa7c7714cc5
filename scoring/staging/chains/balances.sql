-- The last amount of a token that an address was seen to hold, up to the clock.
-- columns: chain, address, token; seen_at, block, amount, source
select b.chain, b.address, b.token, b.seen_at, b.block, b.amount, b.source
from lake.balances b
left join staging.precedences p on p.dataset = 'balances' and p.source = b.source
where b.seen_at <= (select as_of from core.clock)
qualify row_number() over (
  partition by b.chain, b.address, b.token
  order by b.seen_at desc, p.precedence desc nulls last, b.block desc, b.source
) = 1
