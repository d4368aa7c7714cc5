-- The part of a sale or transfer out that one lot gave: the oldest lots give first. `proceeds_usd` and `gas_usd` are
-- the lot's shares, by amount, of the sale's value and gas, `cost_usd` its share of the lot's cost; each share is
-- rounded half to even in millionths of a dollar, and the last one takes the rest. `pnl_usd` = proceeds - gas - cost.
--
-- A transfer, and a carry to another address of the same owner, remove lots at cost and realize nothing: their
-- `proceeds_usd` and `pnl_usd` are null. So is the result of a sale without a value, or of a lot without a cost.
-- The realized result of a wallet is the sum of `pnl_usd`.
--
-- `is_ranked`: the last price of the 24 hours before the sale was not thin, hence of at least 2 pools or 3 senders, and
-- the stock could be sold for these proceeds within a day (`core.prices`). Results that are not ranked count in no
-- list.
-- ordered: no
-- columns: wallet, chain, token, block, tx_index, tx, seq, lot, kind; ts, amount, proceeds_usd?, cost_usd?, gas_usd,
-- pnl_usd?, held_s, is_ranked
with amounts as (
  select * exclude (high, low), (high::hugeint * 1125899906842624 + low::hugeint)::bignum as amount
  from core.lot_disposals
  union all by name
  select * exclude (wide), wide::bignum as amount
  from core.lot_wide_disposals
),
named as (
  select d.*, w.wallet, k.chain, k.token
  from amounts d
  join core.lot_wallets w on w.wallet_index = d.wallet_index
  join core.lot_tokens k on k.token_index = d.token_index
),
traced as (
  select n.*, t.tx, t.ts
  from named n
  join core.trades t
    on t.wallet = n.wallet and t.block = n.block and t.tx_index = n.tx_index and t.seq = n.seq and t.chain = n.chain
  where n.kind in (0, 3)
  union all
  select n.*, t.tx, t.ts
  from named n
  join core.transfers t
    on t.wallet = n.wallet and t.block = n.block and t.tx_index = n.tx_index and t.seq = n.seq and t.chain = n.chain
    and t.token = n.token and t.direction = 'out'
  where n.kind = 1
  union all
  -- The event of a carry is the receiver's.
  select n.*, t.tx, t.ts
  from named n
  join core.transfers t
    on t.counterparty = n.wallet and t.block = n.block and t.tx_index = n.tx_index and t.seq = n.seq
    and t.chain = n.chain and t.token = n.token and t.direction = 'in' and t.basis = 'carry'
  where n.kind = 2
),
valued as (
  select
    *,
    case when not isnan(proceeds) then proceeds::bigint * 0.000001 end as proceeds_usd,
    case when not isnan(cost) then cost::bigint * 0.000001 end as cost_usd,
    gas::bigint * 0.000001 as gas_usd
  from traced
)
select
  v.wallet,
  v.chain,
  v.token,
  v.block::bigint as block,
  v.tx_index,
  v.tx,
  v.seq,
  v.lot,
  case v.kind when 0 then 'sale' when 1 then 'transfer' when 2 then 'carry' else 'arbitrage' end as kind,
  v.ts,
  v.amount,
  v.proceeds_usd,
  v.cost_usd,
  v.gas_usd,
  v.proceeds_usd - v.gas_usd - v.cost_usd as pnl_usd,
  (epoch_us(v.ts) - v.since::bigint) // 1000000 as held_s,
  coalesce(not p.is_thin and p.depth_usd >= v.proceeds_usd and v.ts < p.ts + interval 24 hours, false) as is_ranked
from valued v
asof left join core.prices p on p.chain = v.chain and p.token = v.token and p.ts <= v.ts
-- The order of the key, by numbers, which sort in a third of the time of texts. A place in a block has one transaction.
order by v.wallet_index, v.token_index, v.block, v.tx_index, v.seq, v.lot, kind
