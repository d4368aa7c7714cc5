-- The ordered input of the ledger of lots: each side of a trade and each transfer, owner by owner and token by token.
-- The order within a `seq` is that of `kind`: 0 a transfer in, 1 a carry, 2 a purchase, 3 and 4 what a round trip paid
-- and returned, 5 a sale, 6 a transfer out. A carry moves lots from `from_index` to another wallet of the same owner.
-- The sender's row of a carry is left out, and so is a transfer of a wallet to itself.
--
-- A trade's gas belongs to its purchase if the token sold is the more money-like one, else to its sale. Amounts are
-- `high` x 2^50 + `low`; from 2^103 on, `wide` holds them and `high` is null. Dollars are whole millionths, exact in
-- floating point below 2 billion; from there on a value is not priced.
-- columns: cluster_index, token_index, block DOUBLE, tx_index, seq, kind INTEGER, wallet_index; from_index, ts_us DOUBLE,
-- high? DOUBLE, low? DOUBLE, wide?, usd? DOUBLE, gas DOUBLE
with trades as (
  select
    w.cluster_index,
    w.wallet_index,
    -1 as from_index,
    case when side.is_in then b.token_index else s.token_index end as token_index,
    t.block,
    t.tx_index,
    t.seq,
    case
      when s.token_index = b.token_index then case when side.is_in then 4 else 3 end
      when side.is_in then 2
      else 5
    end as kind,
    epoch_us(t.ts) as ts_us,
    (case when side.is_in then t.amount_bought else t.amount_sold end)::varchar as digits,
    t.usd,
    -- Both rows of a round trip have its gas; the ledger reads the later one.
    case
      when s.token_index = b.token_index or (s.moneyness > b.moneyness) = side.is_in then t.gas_usd
      else 0
    end as gas_usd
  from core.trades t
  join core.lot_wallets w on w.wallet = t.wallet
  -- Each has exactly one row. Inner joins would let the planner join the two tokens of a chain with each other first.
  left join core.lot_tokens s on s.chain = t.chain and s.token = t.token_sold
  left join core.lot_tokens b on b.chain = t.chain and b.token = t.token_bought
  cross join (values (true), (false)) as side (is_in)
),
transfers as (
  select
    w.cluster_index,
    w.wallet_index,
    f.wallet_index as from_index,
    k.token_index,
    t.block,
    t.tx_index,
    t.seq,
    case when t.direction = 'out' then 6 when f.wallet_index is null then 0 else 1 end as kind,
    epoch_us(t.ts) as ts_us,
    t.amount::varchar as digits,
    case when t.direction = 'in' and f.wallet_index is null and t.basis <> 'unpriced' then t.usd end as usd
  from core.transfers t
  join core.lot_wallets w on w.wallet = t.wallet
  left join core.lot_tokens k on k.chain = t.chain and k.token = t.token
  left join core.lot_wallets f
    on t.basis = 'carry' and f.wallet = t.counterparty and f.cluster_index = w.cluster_index
  where t.wallet <> t.counterparty and not (t.direction = 'out' and f.wallet_index is not null)
),
sides as (
  from trades
  union all
  select
    cluster_index,
    wallet_index,
    coalesce(from_index, -1),
    token_index,
    block,
    tx_index,
    seq,
    kind,
    ts_us,
    digits,
    usd,
    0
  from transfers
),
parsed as (
  select *, try_cast(digits as hugeint) as amount
  from sides
),
split as (
  select *, coalesce(amount < 10141204801825835211973625643008, false) as is_narrow
  from parsed
)
select
  cluster_index::integer as cluster_index,
  token_index::integer as token_index,
  block::double as block,
  tx_index::integer as tx_index,
  seq::integer as seq,
  kind::integer as kind,
  wallet_index::integer as wallet_index,
  from_index::integer as from_index,
  ts_us::double as ts_us,
  case when is_narrow then (amount >> 50)::double end as high,
  case when is_narrow then (amount & 1125899906842623)::double end as low,
  case when not is_narrow then digits end as wide,
  case when abs(usd) < 2000000000 then round(usd::double * 1000000) end as usd,
  round(gas_usd::double * 1000000) as gas
from split
-- Few and narrow keys: a key of more than 24 bytes takes half as long again to sort.
order by
  cluster_index::integer,
  token_index::integer,
  block * 4194304 + tx_index,
  (seq * 8 + kind)::integer,
  wallet_index::integer
