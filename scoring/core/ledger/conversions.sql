-- The YES shares that a neg-risk conversion gave a trader: one row for each question of the group that it did not name.
-- The NO shares that it took are realizations. `tx` and `seq` identify the move, as in `core.realizations`.
-- columns: trader, market_id, outcome, ts, seq; venue, tx, size
select
  t.trader,
  m.market_id,
  r.outcome,
  make_timestamp(r.ts_us) as ts,
  r.seq,
  m.venue,
  v.tx,
  r.size * 0.000001 as size
from core.ledger_receipts r
join core.ledger_traders t on t.trader_index = r.trader_index
join core.ledger_markets m on m.market_index = r.market_index
join core.ledger_moves v on v.trader_index = r.trader_index and v.ts = make_timestamp(r.ts_us) and v.seq = r.seq
