-- A trader's side of a match, once, for the ledgers: where an account's own history was read it counts (it has the
-- cash moved), elsewhere the histories of the markets do. Without system addresses and combos.
-- columns: venue, token_id, ts, tx, trader, side, price, size, seq; market_id?, role?, cash_usd?, fee_usd?, source
with precedences as (
  select source, max(precedence) as precedence
  from staging.stretches
  where dataset = 'fills'
  group by source
),
higher as (
  select part, key, from_at, to_at, precedence
  from staging.stretches
  where dataset = 'fills' and precedence > (select min(precedence) from precedences)
)
select
  f.venue, f.token_id, f.ts, f.tx, f.trader, f.side, f.price, f.size, f.seq, f.market_id, f.role, f.cash_usd, f.fee_usd,
  f.source
from lake.fills f
join precedences p on p.source = f.source
where f.ts <= (select as_of from core.clock)
  and (f.venue <> 'polymarket' or length(f.market_id) = length('polymarket:0x') + 64)
  and not exists (from staging.system_addresses s where s.address = f.trader)
  and not exists (
    from higher h
    where h.part = f.venue and h.key = f.trader and h.precedence > p.precedence and f.ts >= h.from_at and f.ts < h.to_at
  )
  and not exists (
    from higher h
    where h.part = f.venue and h.key = substr(f.market_id, length(f.venue) + 2) and h.precedence > p.precedence
      and f.ts >= h.from_at and f.ts < h.to_at
  )
