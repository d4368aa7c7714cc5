-- The part of a sale or transfer out that no lot covered: the wallet got these units before its history begins, or by a
-- way that is not read. `proceeds_usd` is their share of a sale's value less its gas. It is shown apart and is never a
-- profit, since its cost is not known. Transfers have no proceeds. Kinds are those of `core.disposals`.
-- ordered: no
-- columns: wallet, chain, token, block, tx_index, tx, seq, kind; ts, amount, proceeds_usd?
with amounts as (
  select * exclude (high, low), (high::hugeint * 1125899906842624 + low::hugeint)::bignum as amount
  from core.lot_unmatched
  union all by name
  select * exclude (wide), wide::bignum as amount
  from core.lot_wide_unmatched
),
named as (
  select u.*, w.wallet, k.chain, k.token
  from amounts u
  join core.lot_wallets w on w.wallet_index = u.wallet_index
  join core.lot_tokens k on k.token_index = u.token_index
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
)
select
  wallet,
  chain,
  token,
  block::bigint as block,
  tx_index,
  tx,
  seq,
  case kind when 0 then 'sale' when 1 then 'transfer' when 2 then 'carry' else 'arbitrage' end as kind,
  ts,
  amount,
  case when not isnan(proceeds) then proceeds::bigint * 0.000001 end as proceeds_usd
from traced
-- The order of the key, by numbers, as in `core.disposals`.
order by wallet_index, token_index, block, tx_index, seq, kind
