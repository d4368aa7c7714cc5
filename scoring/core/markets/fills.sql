-- A fill with the columns that scoring needs. `cash_usd` is the cash before fees that the venue reports, or price x
-- size. If no fee is given, a taker's fee is estimated from the market's rate at that instant: size x rate x price x
-- (1 - price), down to a whole 0.00001.
-- `is_self` marks a fill with the same trader as maker and taker. `seq` orders a trader's fills within an instant, buys
-- first.
-- columns: trader, event_id, ts, seq; tx, venue, market_id, outcome, side, role?, price, size, cash_usd, fee_usd,
-- is_fee_estimated, is_self
with placed as (
  select
    f.*,
    coalesce(f.role, t.role) as known_role,
    o.outcome,
    m.event_id,
    r.taker_fee_rate
  from staging.fills f
  join core.outcomes o on o.market_id = f.market_id and o.token_id = f.token_id
  join core.markets m on m.market_id = f.market_id
  asof left join staging.fee_rates r on r.market_id = f.market_id and r.from_at <= f.ts
  left join staging.tape t
    on t.venue = f.venue and t.token_id = f.token_id and t.ts = f.ts and t.tx = f.tx and t.trader = f.trader
    and t.side = f.side and t.price = f.price and t.size = f.size and t.seq = f.seq
),
priced as (
  select
    *,
    coalesce(cash_usd, (size::decimal(24, 6) * price)::decimal(38, 6)) as moved_usd,
    coalesce(fee_usd is null and known_role = 'taker' and taker_fee_rate > 0, false) as is_fee_estimated
  from placed
)
select
  trader,
  event_id,
  ts,
  row_number() over (
    partition by trader, ts order by side, tx, market_id, outcome, size, moved_usd, price, seq
  ) - 1 as seq,
  tx,
  venue,
  market_id,
  outcome,
  side,
  known_role as role,
  price,
  size,
  moved_usd as cash_usd,
  case
    -- Each factor is a whole number of millionths, so that the product is exact.
    when is_fee_estimated then (
      (
        (size * 1000000)::hugeint * (taker_fee_rate * 1000000)::hugeint * (price * 1000000)::hugeint
        * (1000000 - (price * 1000000)::hugeint) // 10000000000000000000::hugeint
      )::decimal(30, 0) * 0.00001
    )::decimal(38, 6)
    else coalesce(fee_usd, 0)
  end as fee_usd,
  is_fee_estimated,
  count(distinct known_role) over (partition by trader, tx, market_id) = 2 as is_self
from priced
