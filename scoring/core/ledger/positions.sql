-- A trader's outcome token at average cost, one row for each token that the trader ever touched. `size` is the shares
-- held and `cost_usd` their average cost in total. `bought_usd` is the total paid in, fees and the cost of shares
-- from splits, conversions, migrations and transfers included. `sold_usd` is the total that came out by sales, merges,
-- conversions, migrations, transfers and redemptions. `fees_usd` is the part paid to the venue. `is_valued` marks
-- positions with a transfer from or to somebody else, whose dollars are a value and no payment (`core.share_transfers`).
--
-- `realized_usd` is the sum of the token's realizations: `sold_usd` plus the remaining cost, minus `bought_usd`. A
-- resolution realizes the held shares at their payout, and `cost_usd` is that payout from then on. Shares sold
-- without a known purchase realize nothing. `size_untracked` counts them, `untracked_usd` is the cash without known
-- shares, and `is_complete` is false.
-- ordered: no
-- columns: trader, market_id, outcome; venue, size, cost_usd, bought_usd, sold_usd, fees_usd, realized_usd,
-- size_untracked, untracked_usd, first_at, last_at, is_complete, is_valued, trader_index, market_index
with valued as (
  select distinct trader_index, market_index, outcome
  from core.share_transfers
)
select
  t.trader,
  m.market_id,
  p.outcome,
  m.venue,
  -- Decimals of 18 digits are computed with 64 bits; a BIGINT alone would become one of 19, with 128 bits.
  p.size::decimal(18, 0) * 0.000001 as size,
  p.cost::decimal(18, 0) * 0.000001 as cost_usd,
  p.bought::decimal(18, 0) * 0.000001 as bought_usd,
  p.sold::decimal(18, 0) * 0.000001 as sold_usd,
  p.fees::decimal(18, 0) * 0.000001 as fees_usd,
  (p.sold + p.cost - p.bought)::decimal(18, 0) * 0.000001 as realized_usd,
  p.size_untracked::decimal(18, 0) * 0.000001 as size_untracked,
  p.untracked::decimal(18, 0) * 0.000001 as untracked_usd,
  make_timestamp(p.first_us) as first_at,
  make_timestamp(p.last_us) as last_at,
  p.is_complete,
  v.outcome is not null as is_valued,
  p.trader_index,
  p.market_index
from core.ledger_positions p
join core.ledger_traders t on t.trader_index = p.trader_index
join core.ledger_markets m on m.market_index = p.market_index
left join valued v on v.trader_index = p.trader_index and v.market_index = p.market_index and v.outcome = p.outcome
