-- The largest trades of the last seven days, by the taker's cash.
select
  f.ts,
  f.trader,
  f.side,
  o.label,
  f.price,
  f.size,
  f.cash_usd,
  m.question,
  f.market_id,
  f.tx
from core.fills f
join core.markets m on m.market_id = f.market_id
join core.outcomes o on o.market_id = f.market_id and o.outcome = f.outcome
cross join core.clock c
where f.role = 'taker' and f.ts > c.as_of - interval 7 days
order by f.cash_usd desc, f.ts, f.tx, f.trader
limit 50;
