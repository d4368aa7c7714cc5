-- The part of a sale or transfer out that one lot gave: the oldest lots give first. `proceeds_usd` and `gas_usd` are
-- the lot's shares, by amount, of the sale's value and gas, `cost_usd` its share of the lot's cost; each share is
-- rounded half to even in millionths of a dollar, and the last one takes the rest. `pnl_usd` = proceeds - gas - cost.
--
-- A transfer, and a carry to another address of the same owner, remove lots at cost and realize nothing: their
-- `proceeds_usd` and `pnl_usd` are null. So is the result of a sale without a value, or of a lot without a cost.
-- The realized result of a wallet is the sum of `pnl_usd` where `is_ranked`. The rest is its unranked result.
--
-- `is_ranked`: the last price of the 24 hours before the sale was not thin, hence of at least 2 pools or 3 senders, and
-- the stock could be sold for these proceeds within a day (`core.prices`). The trades that bought and sold it count in
-- lists (`core.trades`).
-- stored: no
-- columns: wallet, chain, token, block, tx_index, tx, seq, lot, kind; ts, amount, proceeds_usd?, cost_usd?, gas_usd,
-- pnl_usd?, held_s, is_ranked
with named as (
  select a.*, w.wallet, k.chain, k.token
  from core.allocations a
  join core.lot_wallets w on w.wallet_index = a.wallet_index
  join core.lot_tokens k on k.token_index = a.token_index
),
traced as (
  select n.*, t.tx
  from named n
  join core.trades t
    on t.wallet = n.wallet and t.block = n.block and t.tx_index = n.tx_index and t.seq = n.seq and t.chain = n.chain
  where n.kind in (0, 3)
  union all
  select n.*, t.tx
  from named n
  join core.transfers t
    on t.wallet = n.wallet and t.block = n.block and t.tx_index = n.tx_index and t.seq = n.seq and t.chain = n.chain
    and t.token = n.token and t.direction = 'out'
  where n.kind = 1
  union all
  -- The event of a carry is the receiver's.
  select n.*, t.tx
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
  block,
  tx_index,
  tx,
  seq,
  lot,
  case kind when 0 then 'sale' when 1 then 'transfer' when 2 then 'carry' else 'arbitrage' end as kind,
  ts,
  coalesce(amount, (amount_high::hugeint * 1125899906842624 + amount_low)::bignum) as amount,
  proceeds_millionths * 0.000001 as proceeds_usd,
  cost_millionths * 0.000001 as cost_usd,
  gas_millionths * 0.000001 as gas_usd,
  pnl_millionths * 0.000001 as pnl_usd,
  held_s,
  is_ranked
from traced
