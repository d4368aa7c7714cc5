-- The tape of a market, instant by instant, since its beginning: the price of the instant (each match once, weighted
-- by size), and the running totals up to and including it. The trades of a period are the difference of two rows,
-- without a sum. Outcomes and exclusions are as in `core.prints`.
--
-- `third_us` and `fourth_us` are the last trades of the third and the fourth most recent taker, in microseconds since
-- 1970. A period that ends here has at least three takers if it begins at `third_us` or before.
-- ordered: no
-- columns: market_index, outcome, ts; price, size DECIMAL(18,6), cash_usd DECIMAL(18,6), third_us? BIGINT, fourth_us? BIGINT
with instants as (
  select market_index, outcome, ts, sum(size)::decimal(18, 6) as size, sum(cash_usd)::decimal(18, 6) as cash_usd
  from core.prints
  where size > 0
  group by market_index, outcome, ts
),
summed as (
  select
    market_index,
    outcome,
    ts,
    cash_usd / size as price,
    sum(size) over since_begun as size,
    sum(cash_usd) over since_begun as cash_usd
  from instants
  window since_begun as (partition by market_index, outcome order by ts)
)
select s.*, r.third_us, r.fourth_us
from summed s
join core.taker_recency r on r.market_index = s.market_index and r.outcome = s.outcome and r.ts_us = epoch_us(s.ts)
