-- The ordered input of the ledger of lots: each side of an event, owner by owner and token by token. The order within
-- a `seq` is that of `kind`: 0 a transfer in, 1 a carry, 2 a purchase, 3 and 4 what a round trip paid and returned, 5 a
-- sale, 6 a transfer out. Amounts are `high` x 2^50 + `low`; from 2^103 on, `wide` holds them and `high` is null.
-- Dollars are whole millionths, exact in floating point below 2 billion dollars.
-- columns: cluster_index, token_index, wallet_index, from_index, event_index INTEGER, kind INTEGER; ts_us DOUBLE,
-- high? DOUBLE, low? DOUBLE, wide?, usd? DOUBLE, gas DOUBLE
with sides as (
  select
    wallet_index,
    from_index,
    bought_index as token_index,
    event_index,
    block,
    tx_index,
    seq,
    case when kind = 'in' then 0 when kind = 'carry' then 1 when bought_index = sold_index then 4 else 2 end as step,
    ts,
    try_cast(bought as hugeint) as amount,
    bought as digits,
    usd,
    case when is_purchase or bought_index = sold_index then gas_usd else 0 end as gas_usd
  from core.lot_events
  where bought_index is not null
  union all
  select
    wallet_index,
    from_index,
    sold_index,
    event_index,
    block,
    tx_index,
    seq,
    case when kind = 'out' then 6 when bought_index = sold_index then 3 else 5 end,
    ts,
    try_cast(sold as hugeint),
    sold,
    usd,
    case when is_purchase then 0 else gas_usd end
  from core.lot_events
  where sold_index is not null
),
split as (
  select *, amount < 10141204801825835211973625643008 as is_narrow
  from sides
)
select
  w.cluster_index::integer as cluster_index,
  s.token_index::integer as token_index,
  s.wallet_index::integer as wallet_index,
  coalesce(s.from_index, -1)::integer as from_index,
  s.event_index::integer as event_index,
  s.step as kind,
  epoch_us(s.ts)::double as ts_us,
  case when s.is_narrow then (s.amount >> 50)::double end as high,
  case when s.is_narrow then (s.amount & 1125899906842623)::double end as low,
  case when s.is_narrow then null else s.digits end as wide,
  round(s.usd::double * 1000000) as usd,
  round(s.gas_usd::double * 1000000) as gas
from split s
join core.lot_wallets w on w.wallet_index = s.wallet_index
-- Few and narrow keys: a key of more than 24 bytes takes half as long again to sort.
order by
  cluster_index,
  token_index,
  s.block * 4194304 + s.tx_index,
  (s.seq * 8 + s.step)::integer,
  s.wallet_index::integer
