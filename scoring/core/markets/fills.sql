-- A fill with the columns that scoring needs. `cash_usd` is the cash before fees that the venue reports, or price x
-- size. If no fee is given, a taker's fee is estimated from the market's schedule at that instant: size x rate x (price
-- x (1 - price)) ^ exponent, down to a whole 0.00001. Exponents of 0.5, 1 and 2 have been seen; another one is not
-- estimated. `is_self` marks a fill of a transaction with the same trader as maker and taker in the market. `seq`
-- orders a trader's fills within an instant, buys first. Fills of all addresses of a trader are its fills
-- (`core.trader_addresses`). `trader_index` and `market_index` stand for the names in joins.
-- ordered: no
-- columns: trader, event_id, ts, seq; tx, venue, market_id, outcome, side, role?, price, size, cash_usd, fee_usd,
-- is_fee_estimated, is_self, trader_index, market_index
with unknown as (
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
-- Events by their numbers, in the order of the ids. The texts are joined last, to the ordered rows.
markets as (
  select market_index, market_id, venue, event_id, (dense_rank() over (order by event_id))::integer as event_index
  from core.ledger_markets
),
tokens as (
  select o.market_id, o.token_id, o.outcome, m.market_index, m.event_index
  from core.outcomes o
  join markets m on m.market_id = o.market_id
),
rates as (
  select
    m.market_index,
    r.from_at,
    lead(r.from_at, 1, timestamp '9999-01-01') over (partition by r.market_id order by r.from_at) as to_at,
    r.taker_fee_rate,
    r.fee_exponent
  from staging.fee_rates r
  join markets m on m.market_id = r.market_id
),
placed as (
  select
    f.ts,
    f.tx,
    f.seq,
    f.side,
    f.price,
    f.size,
    f.cash_usd,
    f.fee_usd,
    coalesce(f.role, f.tape_role) as known_role,
    t.trader_index,
    k.market_index,
    k.event_index,
    k.outcome,
    r.taker_fee_rate,
    coalesce(r.fee_exponent, 1) as fee_exponent
  from roles f
  join tokens k on k.market_id = f.market_id and k.token_id = f.token_id
  join core.trader_addresses t on t.wallet = f.trader
  left join rates r on r.market_index = k.market_index and f.ts >= r.from_at and f.ts < r.to_at
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
    trader_index,
    market_index,
    event_index,
    ts,
    tx,
    outcome,
    side,
    known_role,
    price,
    size,
    moved_usd,
    seq,
    is_fee_estimated,
    case
      when not is_fee_estimated then coalesce(fee_usd, 0)
      else (
        case fee_exponent
          when 0.5 then root - (root * root > square)::hugeint
          when 1 then rated * spread // 10000000000000000000::hugeint
          else (
            rated * spread // 1000000000000::hugeint * spread
            + rated * spread % 1000000000000::hugeint * spread // 1000000000000::hugeint
          ) // 10000000000000000000::hugeint
        end::decimal(30, 0) * 0.00001
      )::decimal(38, 6)
    end as charged_usd
  from squared
),
-- The instants at which a trader has several fills: only these need an order, and only there a trader can meet itself.
busy as (
  select trader_index, ts
  from charged
  group by trader_index, ts
  having count(*) > 1
),
ordered as (
  select *, 0::integer as nth, false as is_self
  from charged c
  anti join busy b on b.trader_index = c.trader_index and b.ts = c.ts
  union all
  select
    *,
    (row_number() over (
      partition by trader_index, ts order by side, tx, market_index, outcome, size, moved_usd, price, seq
    ) - 1)::integer,
    coalesce(bool_or(known_role = 'maker') over same and bool_or(known_role = 'taker') over same, false)
  from charged c
  semi join busy b on b.trader_index = c.trader_index and b.ts = c.ts
  window same as (partition by trader_index, ts, tx, market_index)
),
-- The order of the key, by numbers of 24 bytes in total: a longer key takes half as long again to sort.
sorted as (
  select *
  from ordered
  order by trader_index, event_index, ts, nth
)
select
  t.trader,
  m.event_id,
  s.ts,
  s.nth as seq,
  s.tx,
  m.venue,
  m.market_id,
  s.outcome,
  s.side,
  s.known_role as role,
  s.price,
  s.size,
  s.moved_usd as cash_usd,
  s.charged_usd as fee_usd,
  s.is_fee_estimated,
  s.is_self,
  s.trader_index,
  s.market_index
from sorted s
join core.ledger_traders t on t.trader_index = s.trader_index
join markets m on m.market_index = s.market_index
