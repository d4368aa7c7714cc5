-- A fill and its close, the later price of the same token. The outcome of the event is not used. There are two kinds,
-- which are never mixed. `event_start`: the market has a known start, release or deadline, which is the close
-- (`core.closes`). `markout_24h`: the close is 24 hours after the fill (`core.markouts`). A fill of a market with a
-- schedule has a row of each kind. `is_resolved` tags a markout whose market resolved before its window was over: its
-- close is the last price before the resolution.
--
-- `close_price` is the price of the other traders in the close's window, weighted by size, if at least three of them
-- took and they traded at least 200 shares; otherwise the recorded midpoint. p is the price a share with its fee: (cash
-- + fee) / size for a buy, (cash - fee) / size for a sale.
--
--   edge_points  100 (close - p) for a buy, 100 (p - close) for a sale: percentage points
--   risk_usd     size p for a buy, size (1 - p) for a sale: the possible loss
--
-- `left_out` is the first reason that applies. `start`: the fill is in the close's own window. `in_play`: the fill, or
-- for markout_24h the end of its window, is at or after the scheduled start. `extreme`: the match's price is outside
-- [0.02, 0.98]. `no_close`: the close is in the future, or had no price. `self`: maker and taker are the same trader.
-- stored: no
-- columns: trader, kind, event_id, ts, seq; market_id, outcome, category, tx, side, role?, price, size, close_at?,
-- close_price? DECIMAL(9,6), edge_points? DECIMAL(18,12), risk_usd DECIMAL(18,6), is_resolved, left_out?
select
  f.trader,
  e.kind,
  f.event_id,
  f.ts,
  f.seq,
  f.market_id,
  f.outcome,
  e.category,
  f.tx,
  f.side,
  f.role,
  f.price,
  f.size,
  e.close_at,
  e.close_price,
  e.edge_points,
  e.risk_usd,
  e.is_resolved,
  e.left_out
from core.fills f
join metrics.clv_edges e on e.trader_index = f.trader_index and e.ts = f.ts and e.seq = f.seq
