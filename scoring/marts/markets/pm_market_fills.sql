-- The last 100 matches of a market within 30 days of the clock, the newest first, each once, by its taker. A block trade
-- has the role `block`. `address` is null on an anonymous venue, whose matches are those of 24 hours.
-- columns: market_id, rank; ts, tx, address?, label, side, role, price, size, cash DECIMAL(18,2)
with matches as (
  select
    o.market_id,
    o.label,
    t.ts,
    t.tx,
    t.trader,
    t.side,
    t.role,
    t.price,
    t.size,
    coalesce(t.cash_usd, (t.size::decimal(24, 6) * t.price)::decimal(38, 6)) as cash_usd,
    row_number() over (
      partition by o.market_id order by t.ts desc, t.tx desc, t.seq desc, t.trader, o.outcome, t.side, t.price, t.size
    ) as rank
  from staging.tape t
  join core.outcomes o on o.market_id = t.market_id and o.token_id = t.token_id
  cross join core.clock c
  where t.role in ('taker', 'block')
    and t.size > 0
    and t.ts > c.as_of - interval 720 hours
    and not exists (from staging.system_addresses s where s.address = t.trader)
)
select
  market_id,
  rank,
  ts,
  tx,
  nullif(trader, '') as address,
  label,
  side,
  role,
  price,
  size,
  cash_usd::decimal(18, 2) as cash
from matches
where rank <= 100
