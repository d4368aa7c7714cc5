-- The last 200 fills of a trader within 30 days of the clock, the newest first, the detail of the profile. All fills are
-- in `core.fills`.
-- columns: address, rank; market_id, question, label, ts, tx, side, role?, price, size, cash DECIMAL(18,2), fee DECIMAL(18,6)
with recent as (
  select
    f.trader_index,
    f.trader,
    f.market_id,
    f.outcome,
    f.ts,
    f.tx,
    f.side,
    f.role,
    f.price,
    f.size,
    f.cash_usd,
    f.fee_usd,
    row_number() over (partition by f.trader_index order by f.ts desc, f.seq desc) as rank
  from core.fills f
  cross join core.clock c
  where f.ts > c.as_of - interval 720 hours
)
select
  r.trader as address,
  r.rank,
  r.market_id,
  m.question,
  coalesce(o.label, '') as label,
  r.ts,
  r.tx,
  r.side,
  r.role,
  r.price,
  r.size,
  r.cash_usd::decimal(18, 2) as cash,
  r.fee_usd::decimal(18, 6) as fee
from recent r
join core.markets m on m.market_id = r.market_id
left join core.outcomes o on o.market_id = r.market_id and o.outcome = r.outcome
where r.rank <= 200
