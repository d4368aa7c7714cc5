-- The shares of an outcome that a trader holds after each move of them, in the order of the ledger. `ordinal` numbers
-- the moves of a position from 0; the last one leaves the `size` of `core.positions`. `size_change` is + for shares
-- that came and - for shares that went. Shares that were sold without a known purchase were never held, so they move
-- nothing. A resolution moves no shares; a redemption does.
-- stored: no
-- columns: trader, market_id, outcome, ordinal; venue, ts, kind, size_change, size, tx
with moves as (
  select trader, market_id, outcome, venue, ts, 1 as step, seq, 'buy' as kind, size as size_change, tx
  from core.fills
  where side = 'buy' and size > 0
  union all
  select t.trader, m.market_id, o.outcome, m.venue, v.ts, 0, v.seq, 'split', v.size, v.tx
  from core.ledger_moves v
  join core.ledger_traders t on t.trader_index = v.trader_index
  join core.ledger_markets m on m.market_index = v.market_index
  cross join (values (0), (1)) o(outcome)
  where v.kind = 'split' and v.size > 0
  union all
  select t.trader, m.market_id, v.outcome, m.venue, v.ts, 0, v.seq, 'transfer', v.size, v.tx
  from core.ledger_moves v
  join core.ledger_traders t on t.trader_index = v.trader_index
  join core.ledger_markets m on m.market_index = v.market_index
  where v.kind = 'transfer_in'
  union all
  select trader, market_id, outcome, venue, ts, 2, seq, kind, size, tx
  from core.conversions
  where size > 0
  union all
  select
    trader, market_id, outcome, venue, ts, case kind when 'sale' then 3 when 'transfer' then 4 when 'redemption' then 5 else 2 end, seq, kind,
    -size, tx
  from core.realizations
  where kind <> 'resolution'
)
select
  trader,
  market_id,
  outcome,
  row_number() over of_position - 1 as ordinal,
  venue,
  ts,
  kind,
  size_change,
  sum(size_change) over of_position as size,
  tx
from moves
window of_position as (
  partition by trader, market_id, outcome order by ts, step, seq rows between unbounded preceding and current row
)
