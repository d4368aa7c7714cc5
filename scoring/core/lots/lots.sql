-- A lot: one acquisition of a token by a wallet, and what is left of it. Lots of a wallet and token count from 0 in the
-- order of acquisition. `amount` came in and `amount_left` is not sold or sent on, in raw units. `cost_usd` is the
-- value paid, gas of a purchase included, and `cost_left_usd` its part for `amount_left`. Null is not priced, which is
-- not 0.
--
--   buy        a purchase, or the bought side of a trade of two tokens, at the trade's value
--   transfer   received, at the market value at receipt; null where that is not known
--   carry      received from another address of the same owner: the sender's lot moves, `ts` and cost included. What
--              the sender had no lot for is a lot without a cost
--   arbitrage  the surplus of an atomic round trip: a lot at cost 0, which is given at its value at once, and the lot
--              at that value which follows
--
-- `ts` is the instant of the acquisition. `tx` is the transaction that brought the lot to this wallet.
-- stored: no
-- columns: wallet, chain, token, lot; ts, tx, origin, amount, amount_left, cost_usd?, cost_left_usd?
with named as (
  select a.*, w.wallet, k.chain, k.token
  from core.acquisitions a
  join core.lot_wallets w on w.wallet_index = a.wallet_index
  join core.lot_tokens k on k.token_index = a.token_index
),
traced as (
  select n.*, t.tx, t.ts as brought_at, t.amount_bought as brought
  from named n
  join core.trades t
    on t.wallet = n.wallet and t.block = n.block and t.tx_index = n.tx_index and t.seq = n.seq and t.chain = n.chain
  where n.origin in (0, 3)
  union all
  select n.*, t.tx, t.ts, t.amount
  from named n
  join core.transfers t
    on t.wallet = n.wallet and t.block = n.block and t.tx_index = n.tx_index and t.seq = n.seq and t.chain = n.chain
    and t.token = n.token and t.direction = 'in'
  where n.origin in (1, 2)
)
select
  wallet,
  chain,
  token,
  lot,
  coalesce(ts, brought_at) as ts,
  tx,
  case origin when 0 then 'buy' when 1 then 'transfer' when 2 then 'carry' else 'arbitrage' end as origin,
  coalesce(amount, brought) as amount,
  coalesce(amount_left, (left_high::hugeint * 1125899906842624 + left_low)::bignum) as amount_left,
  cost_millionths * 0.000001 as cost_usd,
  cost_left_millionths * 0.000001 as cost_left_usd
from traced
