-- The largest open positions: shares, average cost, and their value at the odds of now.
--
-- `unrealized_usd` is in no other figure, since a result counts when it is realized. Odds of method `none` give no
-- value.
with
odds as (
  select market_id, 0 as outcome, yes_price as price
  from metrics.market_odds
  where yes_method <> 'none'
  union all
  select market_id, 1, 1 - yes_price
  from metrics.market_odds
  where yes_method <> 'none'
)
select
  p.trader,
  m.question,
  o.label,
  p.size,
  p.cost_usd,
  p.size * q.price as value_usd,
  p.size * q.price - p.cost_usd as unrealized_usd,
  p.market_id
from core.positions p
join core.markets m on m.market_id = p.market_id and m.n_outcomes = 2
join core.outcomes o on o.market_id = p.market_id and o.outcome = p.outcome
join odds q on q.market_id = p.market_id and q.outcome = p.outcome
where p.size > 0 and m.resolved_at is null
order by value_usd desc, p.trader, p.market_id, p.outcome
limit 100;
