-- The shares that came for others: the YES shares of a neg-risk conversion, one row for each question of the group that
-- it did not name, and the shares of a migration. Those that were given are realizations. `tx` and `seq` identify the
-- move, as in `core.realizations`.
-- columns: trader, market_id, outcome, ts, seq; venue, kind, tx, size
select
  t.trader,
  m.market_id,
  r.outcome,
  make_timestamp(r.ts_us) as ts,
  r.seq,
  m.venue,
  case v.kind when 'convert' then 'conversion' else 'migration' end as kind,
  v.tx,
  r.size * 0.000001 as size
from core.ledger_receipts r
join core.ledger_traders t on t.trader_index = r.trader_index
join core.ledger_markets m on m.market_index = r.market_index
join core.ledger_moves v on v.trader_index = r.trader_index and v.ts = make_timestamp(r.ts_us) and v.seq = r.seq
