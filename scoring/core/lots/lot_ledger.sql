-- The ordered input of the ledger of lots: a row for each trade and each transfer, owner by owner in the order of
-- events. The order within a `seq` is that of `kind`: 0 a transfer in, 1 a carry, 2 a trade whose gas belongs to its
-- purchase, 3 one whose gas belongs to its sale, 4 a round trip, 5 a transfer out. A carry moves lots from `from_index`
-- to another wallet of the same owner. Kind 6 moves nothing: a transfer of a wallet to itself, and the sender's row of
-- a carry. It is kept, so that the rows are as many as those of the two tables.
--
-- A trade's gas belongs to its purchase if the token sold is the more money-like one. `in` is what the wallet received,
-- `out` what it gave; a transfer has one of them. Amounts are `high` x 2^50 + `low`; from 2^103 on, `wide` holds them
-- and `high` is infinite. Dollars are whole millionths, exact in floating point below 2 billion; from there on a value
-- is not priced, and NaN. `is_countable` is 0 for a trade whose results count in no list, otherwise 1.
-- columns: cluster_index, block DOUBLE, tx_index, seq, kind INTEGER, wallet_index; from_index, ts_us DOUBLE, in_index,
-- in_high DOUBLE, in_low DOUBLE, in_wide?, out_index, out_high DOUBLE, out_low DOUBLE, out_wide?, usd DOUBLE,
-- gas DOUBLE, is_countable INTEGER
with trades as (
  select
    w.cluster_index,
    w.wallet_index,
    -1 as from_index,
    t.block,
    t.tx_index,
    t.seq,
    case
      when s.token_index = b.token_index then 4
      when s.moneyness > b.moneyness then 2
      else 3
    end as kind,
    t.ts,
    b.token_index as in_index,
    t.amount_bought as in_digits,
    s.token_index as out_index,
    t.amount_sold as out_digits,
    t.usd,
    t.gas_usd,
    t.is_countable
  from stored.trades t
  -- Each has exactly one row. Inner joins would let the planner join the two tokens of a chain with each other first.
  left join core.lot_wallets w on w.wallet = t.wallet
  left join core.lot_tokens s on s.chain = t.chain and s.token = t.token_sold
  left join core.lot_tokens b on b.chain = t.chain and b.token = t.token_bought
),
moves as (
  select
    w.cluster_index,
    w.wallet_index,
    f.wallet_index as from_index,
    k.token_index,
    t.*,
    case
      when t.wallet = t.counterparty then 6
      when t.direction = 'out' then case when f.wallet_index is null then 5 else 6 end
      when f.wallet_index is null then 0
      else 1
    end as kind
  from stored.transfers t
  left join core.lot_wallets w on w.wallet = t.wallet
  left join core.lot_tokens k on k.chain = t.chain and k.token = t.token
  left join core.lot_wallets f
    on t.basis = 'carry' and f.wallet = t.counterparty and f.cluster_index = w.cluster_index
),
events as (
  from trades
  union all
  select
    cluster_index,
    wallet_index,
    coalesce(from_index, -1),
    block,
    tx_index,
    seq,
    kind,
    ts,
    case when kind < 5 then token_index else -1 end,
    case when kind < 5 then amount else '0' end,
    case when kind < 5 then -1 else token_index end,
    case when kind < 5 then '0' else amount end,
    case when kind = 0 and basis <> 'unpriced' then usd end,
    0,
    true
  from moves
),
parsed as (
  select *, try_cast(in_digits as hugeint) as received, try_cast(out_digits as hugeint) as given
  from events
),
split as (
  select
    *,
    coalesce(received >= 10141204801825835211973625643008, true) as is_in_wide,
    coalesce(given >= 10141204801825835211973625643008, true) as is_out_wide
  from parsed
)
select
  cluster_index::integer as cluster_index,
  block::double as block,
  tx_index::integer as tx_index,
  seq::integer as seq,
  kind::integer as kind,
  wallet_index::integer as wallet_index,
  from_index::integer as from_index,
  epoch_us(ts)::double as ts_us,
  in_index::integer as in_index,
  case when is_in_wide then 'infinity'::double else (received >> 50)::double end as in_high,
  case when is_in_wide then 0 else (received & 1125899906842623)::double end as in_low,
  case when is_in_wide then in_digits end as in_wide,
  out_index::integer as out_index,
  case when is_out_wide then 'infinity'::double else (given >> 50)::double end as out_high,
  case when is_out_wide then 0 else (given & 1125899906842623)::double end as out_low,
  case when is_out_wide then out_digits end as out_wide,
  case when abs(usd) < 2000000000 then round(usd::double * 1000000) else 'nan'::double end as usd,
  round(gas_usd::double * 1000000) as gas,
  is_countable::integer as is_countable
from split
-- Few and narrow keys: a key of more than 24 bytes takes half as long again to sort.
order by
  cluster_index::integer,
  block * 4194304 + tx_index,
  (seq * 8 + kind)::integer,
  wallet_index::integer
