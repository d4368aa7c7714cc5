-- A lot, as `core.lots` describes it: the part of that table which its readers need, by numbers. The event at `block`,
-- `tx_index` and `seq` brought it, a trade for the origins buy and arbitrage and a transfer for the others. `ts` and
-- `amount` are null where they equal the event. What is left is then `left_high` x 2^50 + `left_low` units, and
-- else `amount_left`. Origins are 0 buy, 1 transfer, 2 carry and 3 arbitrage.
--
-- The rows without an amount come first, in the order of owners, then the others in the same order. Within an owner, a
-- lot stands where it is used up, and open lots are last.
-- ordered: no
-- columns: wallet_index, token_index, lot; block, tx_index, seq, origin INTEGER, ts?, amount?, left_high? BIGINT,
-- left_low? BIGINT, amount_left?, cost_millionths? BIGINT, cost_left_millionths? BIGINT
with rows as (
  from core.lot_rows
  union all by name
  from core.lot_exceptions
)
select
  wallet_index,
  token_index,
  lot,
  block::bigint as block,
  tx_index,
  seq,
  origin,
  make_timestamp(since::bigint) as ts,
  amount::bignum as amount,
  left_high::bigint as left_high,
  left_low::bigint as left_low,
  amount_left::bignum as amount_left,
  case when not isnan(cost) then cost::bigint end as cost_millionths,
  case when not isnan(cost_left) then cost_left::bigint end as cost_left_millionths
from rows
