-- A trader's own part, as taker or maker, of the market's trades in a close's window (`core.closes`). It is
-- subtracted from the close that this trader is compared with. `is_taker`: the trader is among the window's takers. The
-- other columns are as in `core.prints`.
-- columns: trader_index, market_index, outcome; size, cash_usd, is_taker
select
  p.trader_index,
  p.market_index,
  p.outcome,
  sum(p.own_size) as size,
  sum(p.own_usd) as cash_usd,
  bool_or(p.size > 0) as is_taker
from core.closes c
join core.ledger_markets n on n.market_id = c.market_id
join core.prints p
  on p.market_index = n.market_index and p.outcome = c.outcome and p.ts >= c.opens_at and p.ts <= c.close_at
where p.own_size > 0
group by p.trader_index, p.market_index, p.outcome
