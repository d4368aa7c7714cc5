-- The part of a sale or transfer out that no lot covered: the wallet got these units before its history begins, or by a
-- way that is not read. `proceeds_usd` is their share of a sale's value less its gas. It is shown apart and is never a
-- profit, since its cost is not known. Transfers have no proceeds. Kinds are as in `core.disposals`.
-- ordered: no
-- columns: wallet, chain, token, block, tx_index, tx, seq, kind; ts, amount, proceeds_usd?
with amounts as (
  from core.lot_unmatched
  union all by name
  from core.lot_wide_unmatched
),
-- The amounts are on the right, which a build hashes: they are fewer and narrower than the events. The joins with
-- numbers are outer ones so that the planner keeps their order.
traced as (
  select u.*, t.wallet, t.chain, t.token_sold as token, t.tx, t.ts
  from core.trades t
  left join core.lot_wallets w on w.wallet = t.wallet
  left join core.lot_tokens k on k.chain = t.chain and k.token = t.token_sold
  join amounts u
    on u.wallet_index = w.wallet_index and u.token_index = k.token_index and u.block = t.block
    and u.tx_index = t.tx_index and u.seq = t.seq and u.kind in (0, 3)
  union all
  select u.*, t.wallet, t.chain, t.token, t.tx, t.ts
  from core.transfers t
  left join core.lot_wallets w on w.wallet = t.wallet
  left join core.lot_tokens k on k.chain = t.chain and k.token = t.token
  join amounts u
    on u.wallet_index = w.wallet_index and u.token_index = k.token_index and u.block = t.block
    and u.tx_index = t.tx_index and u.seq = t.seq and u.kind = 1
  where t.direction = 'out'
  union all
  -- The event of a carry is the receiver's.
  select u.*, t.counterparty, t.chain, t.token, t.tx, t.ts
  from core.transfers t
  left join core.lot_wallets w on w.wallet = t.counterparty
  left join core.lot_tokens k on k.chain = t.chain and k.token = t.token
  join amounts u
    on u.wallet_index = w.wallet_index and u.token_index = k.token_index and u.block = t.block
    and u.tx_index = t.tx_index and u.seq = t.seq and u.kind = 2
  where t.direction = 'in' and t.basis = 'carry'
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
  coalesce(wide::bignum, (high::hugeint * 1125899906842624 + low::hugeint)::bignum) as amount,
  case when not isnan(proceeds) then proceeds::bigint * 0.000001 end as proceeds_usd
from traced
