-- A lot: one acquisition of a token by a wallet, and what is left of it. Lots of a wallet and token count from 0 in the
-- order of acquisition. `amount` came in and `amount_left` is not sold or sent on, in raw units. `cost_usd` is the value
-- paid, gas of a purchase included, and `cost_left_usd` its part for `amount_left`. Null is not priced, which is not 0.
--
--   buy        a purchase, or the bought side of a trade of two tokens, at the trade's value
--   transfer   received, at the market value at receipt; null where that is not known
--   carry      received from another address of the same owner: the sender's lot moves, `ts` and cost included. What
--              the sender had no lot for is a lot without a cost
--   arbitrage  the surplus of an atomic round trip: a lot at cost 0, which is given at its value at once, and the lot at
--              that value which follows
--
-- `ts` is the instant of the acquisition. `tx` is the transaction that brought the lot to this wallet.
-- columns: wallet, chain, token, lot; ts, tx, origin, amount, amount_left, cost_usd?, cost_left_usd?
select
  w.wallet,
  k.chain,
  k.token,
  r.lot,
  make_timestamp(r.since::bigint) as ts,
  e.tx,
  case r.origin when 0 then 'buy' when 1 then 'transfer' when 2 then 'carry' else 'arbitrage' end as origin,
  coalesce(r.wide, (r.high::hugeint * 1125899906842624 + r.low::hugeint)::varchar)::bignum as amount,
  coalesce(r.left_wide, (r.left_high::hugeint * 1125899906842624 + r.left_low::hugeint)::varchar)::bignum as amount_left,
  case when not isnan(r.cost) then r.cost::bigint * 0.000001 end as cost_usd,
  case when not isnan(r.cost_left) then r.cost_left::bigint * 0.000001 end as cost_left_usd
from core.lot_rows r
join core.lot_wallets w on w.wallet_index = r.wallet_index
join core.lot_tokens k on k.token_index = r.token_index
join core.lot_events e on e.event_index = r.event_index
