-- A fill with the columns that scoring needs. `cash_usd` is the cash before fees that the venue reports, or price x
-- size. If no fee is given, a taker's fee is estimated from the market's schedule at that instant: size x rate x (price
-- x (1 - price)) ^ exponent, down to a whole 0.00001. Exponents of 0.5, 1 and 2 have been seen; another one is not
-- estimated. `is_self` marks a fill of a transaction with the same trader as maker and taker in the market. `seq`
-- orders a trader's fills within an instant, buys first. `trader_index` and `market_index` stand for the names in joins.
-- columns: trader, event_id, ts, seq; tx, venue, market_id, outcome, side, role?, price, size, cash_usd, fee_usd,
-- is_fee_estimated, is_self, trader_index, market_index
with busy as (
  -- The instants at which a trader has several fills: only these need an order, and only there a trader can meet
  -- itself.
  select trader, ts
  from staging.fills
  group by trader, ts
  having count(*) > 1
),
rates as (
  select *, lead(from_at, 1, timestamp '9999-01-01') over (partition by market_id order by from_at) as to_at
  from staging.fee_rates
),
unknown as (
  -- Histories of accounts lack the role, which the tape knows.
  select *
  from staging.fills
  where role is null
),
candidates as (
  -- Few rows lack the role, and the tape is as long as all fills: a join with all of it would hash all of it.
  select t.*
  from staging.tape t
  semi join unknown u on u.trader = t.trader and u.ts = t.ts
),
roles as (
  select f.*, t.role as tape_role
  from unknown f
  left join candidates t
    on t.venue = f.venue and t.token_id = f.token_id and t.ts = f.ts and t.tx = f.tx and t.trader = f.trader
    and t.side = f.side and t.price = f.price and t.size = f.size and t.seq = f.seq
  union all
  select f.*, null as tape_role
  from staging.fills f
  where f.role is not null
),
tokens as (
  select o.market_id, o.token_id, o.outcome, m.event_id, n.market_index
  from core.outcomes o
  join core.markets m on m.market_id = o.market_id
  join core.ledger_markets n on n.market_id = o.market_id
),
placed as (
  select
    f.*,
    coalesce(f.role, f.tape_role) as known_role,
    k.outcome,
    k.event_id,
    t.trader_index,
    k.market_index,
    r.taker_fee_rate,
    coalesce(r.fee_exponent, 1) as fee_exponent
  from roles f
  join tokens k on k.market_id = f.market_id and k.token_id = f.token_id
  join core.ledger_traders t on t.trader = f.trader
  left join rates r on r.market_id = f.market_id and f.ts >= r.from_at and f.ts < r.to_at
),
priced as (
  select
    *,
    coalesce(cash_usd, (size::decimal(24, 6) * price)::decimal(38, 6)) as moved_usd,
    coalesce(
      fee_usd is null and known_role = 'taker' and taker_fee_rate > 0 and fee_exponent in (0.5, 1, 2),
      false
    ) as is_fee_estimated,
    -- Products of millionths, which are whole numbers, so that no figure is rounded before the last one. They are null
    -- where no fee is estimated, since arithmetic of 128 bits takes longer than all else here.
    case when is_fee_estimated then (size * 1000000)::hugeint * (taker_fee_rate * 1000000)::hugeint end as rated,
    case when is_fee_estimated then (price * 1000000)::hugeint * (1000000 - (price * 1000000)::hugeint) end as spread
  from placed
),
-- The square of the fee of exponent 0.5 in units of 0.00001, down to a whole number: (rated / 10^13)^2 x spread. The
-- square of `rated` alone would not fit, so it is taken apart.
squared as (
  select
    *,
    case when fee_exponent = 0.5 then rated // 10000000000000::hugeint end as high,
    case when fee_exponent = 0.5 then rated % 10000000000000::hugeint end as low,
    high * high * spread
    + (2 * high * low * spread + low * low * spread // 10000000000000::hugeint) // 10000000000000::hugeint as square,
    -- One step of Newton's from the root of the double is the whole root, or one more.
    floor(sqrt(square::double))::hugeint as guess,
    (guess + square // greatest(guess, 1)) // 2 as root
  from priced
),
-- The estimated fee in units of 0.00001. Dividing by 10^12 and then by 10^19 gives the same whole number as by 10^31.
charged as (
  select
    s.*,
    b.trader is not null as is_busy,
    case
      when not is_fee_estimated then null
      when fee_exponent = 0.5 then root - (root * root > square)::hugeint
      when fee_exponent = 1 then rated * spread // 10000000000000000000::hugeint
      else (
        rated * spread // 1000000000000::hugeint * spread
        + rated * spread % 1000000000000::hugeint * spread // 1000000000000::hugeint
      ) // 10000000000000000000::hugeint
    end as fee_units
  from squared s
  left join busy b on b.trader = s.trader and b.ts = s.ts
),
ordered as (
  select *, 0 as nth, false as is_self
  from charged
  where not is_busy
  union all
  select
    *,
    row_number() over (partition by trader, ts order by side, tx, market_id, outcome, size, moved_usd, price, seq) - 1,
    coalesce(bool_or(known_role = 'maker') over same and bool_or(known_role = 'taker') over same, false)
  from charged
  where is_busy
  window same as (partition by trader, ts, tx, market_id)
)
select
  trader,
  event_id,
  ts,
  nth as seq,
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
    when is_fee_estimated then (fee_units::decimal(30, 0) * 0.00001)::decimal(38, 6)
    else coalesce(fee_usd, 0)
  end as fee_usd,
  is_fee_estimated,
  is_self,
  trader_index,
  market_index
from ordered
