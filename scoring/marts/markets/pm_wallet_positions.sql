-- The shares that a trader holds in markets without a resolution, the detail of the profile. `value` is their worth at
-- the odds of the market (`metrics.market_odds`), null without any; `cost` is what they cost. Less than 0.01 share is
-- left out.
-- columns: address, market_id, outcome; question, label, size, price?, cost DECIMAL(18,2), value? DECIMAL(18,2), last_at
with held as (
  select
    p.trader,
    p.market_id,
    p.outcome,
    m.question,
    p.size,
    p.cost_usd,
    p.last_at,
    case
      when o.yes_method = 'none' then null
      when p.outcome = 0 then o.yes_price
      when m.n_outcomes = 2 then 1 - o.yes_price
    end as price
  from core.positions p
  join core.markets m on m.market_id = p.market_id
  left join metrics.market_odds o on o.market_id = p.market_id
  where p.size >= 0.01 and m.resolved_at is null
)
select
  h.trader as address,
  h.market_id,
  h.outcome,
  h.question,
  coalesce(o.label, '') as label,
  h.size,
  h.price,
  h.cost_usd::decimal(18, 2) as cost,
  (h.size::decimal(24, 6) * h.price)::decimal(18, 2) as value,
  h.last_at
from held h
left join core.outcomes o on o.market_id = h.market_id and o.outcome = h.outcome
