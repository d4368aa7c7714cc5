-- A trade or transfer as the ledger of lots reads it, in numbers: a trade gives `sold_index` for `bought_index`, a
-- transfer out gives, a transfer in brings. `from_index` is the sender of a carry, which moves lots between two addresses
-- of one owner; the sender's own row of it is left out, and so is a transfer of a wallet to itself.
--
-- A value of 2 billion US dollars or more is not priced. A trade's gas belongs to the purchase if the token sold is the
-- more money-like one, else to the sale.
-- columns: event_index; wallet_index, from_index?, block, tx_index, seq, tx, ts, kind, sold_index?, sold? VARCHAR,
-- bought_index?, bought? VARCHAR, usd?, gas_usd, is_purchase
with traded as (
  select
    w.wallet_index,
    null::bigint as from_index,
    t.block,
    t.tx_index,
    t.seq,
    t.tx,
    t.ts,
    'trade' as kind,
    s.token_index as sold_index,
    t.amount_sold::varchar as sold,
    b.token_index as bought_index,
    t.amount_bought::varchar as bought,
    t.usd,
    t.gas_usd,
    s.moneyness > b.moneyness as is_purchase
  from core.trades t
  join core.lot_wallets w on w.wallet = t.wallet
  join core.lot_tokens s on s.chain = t.chain and s.token = t.token_sold
  join core.lot_tokens b on b.chain = t.chain and b.token = t.token_bought
),
moved as (
  select
    w.wallet_index,
    f.wallet_index as from_index,
    t.block,
    t.tx_index,
    t.seq,
    t.tx,
    t.ts,
    case when f.wallet_index is null then t.direction else 'carry' end as kind,
    case when t.direction = 'out' then k.token_index end as sold_index,
    case when t.direction = 'out' then t.amount::varchar end as sold,
    case when t.direction = 'in' then k.token_index end as bought_index,
    case when t.direction = 'in' then t.amount::varchar end as bought,
    case when t.direction = 'in' and f.wallet_index is null and t.basis <> 'unpriced' then t.usd end as usd,
    0 as gas_usd,
    false as is_purchase
  from core.transfers t
  join core.lot_wallets w on w.wallet = t.wallet
  join core.lot_tokens k on k.chain = t.chain and k.token = t.token
  left join core.lot_wallets f
    on t.basis = 'carry' and f.wallet = t.counterparty and f.cluster_index = w.cluster_index
  where t.wallet <> t.counterparty and not (t.direction = 'out' and f.wallet_index is not null)
),
events as (
  select * from traded
  union all
  select * from moved
)
select
  row_number() over (order by wallet_index, block, tx_index, seq, bought_index, sold_index, kind, tx) - 1 as event_index,
  wallet_index,
  from_index,
  block,
  tx_index,
  seq,
  tx,
  ts,
  kind,
  sold_index,
  sold,
  bought_index,
  bought,
  case when abs(usd) < 2000000000 then usd end as usd,
  gas_usd,
  is_purchase
from events
