-- A trader's outcome token at average cost: one row for each that the trader ever touched. `size` shares are held, and
-- cost `cost_usd` on average. Over its life `bought_usd` was paid in for it (fees included; the cost of shares got by
-- splits and conversions too) and `sold_usd` came out of it by sales, merges, conversions and redemptions; `fees_usd`
-- is the part that went to the venue. `realized_usd` is the sum of its realizations, which is what came out and what is
-- still there, at cost, less what was paid in: a resolution realizes what is held at its payout, and `cost_usd` is that
-- payout from there on.
-- What was sold without having been bought realizes nothing: `size_untracked` counts such shares, `untracked_usd` the
-- cash that no known shares explain, and `is_complete` is false.
-- columns: trader, market_id, outcome; venue, size, cost_usd, bought_usd, sold_usd, fees_usd, realized_usd,
-- size_untracked, untracked_usd, first_at, last_at, is_complete
select
  t.trader,
  m.market_id,
  p.outcome,
  m.venue,
  p.size * 0.000001 as size,
  p.cost * 0.000001 as cost_usd,
  p.bought * 0.000001 as bought_usd,
  p.sold * 0.000001 as sold_usd,
  p.fees * 0.000001 as fees_usd,
  (p.sold + p.cost - p.bought) * 0.000001 as realized_usd,
  p.size_untracked * 0.000001 as size_untracked,
  p.untracked * 0.000001 as untracked_usd,
  make_timestamp(p.first_us) as first_at,
  make_timestamp(p.last_us) as last_at,
  p.is_complete
from core.ledger_positions p
join core.ledger_traders t on t.trader_index = p.trader_index
join core.ledger_markets m on m.market_index = p.market_index
