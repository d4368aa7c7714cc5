-- A market as of the clock. Properties fixed at creation are known from then on. `is_open` is as in the last
-- observation; before the first observation it follows from the close and the report of the payout. `reported_at` is
-- the time of that report by its source, `resolved_at` the same or an earlier redemption. Outcome 0 is the YES side. If
-- the labels are not Yes and No, the question ends with the label of YES. `core.markets` has the assets of the question
-- too, which take too long for each pulse.
-- columns: market_id; venue, event_id, question, category?, is_open, n_outcomes, created_at?, starts_at?, starts_by?, ends_at?,
-- closed_at?, reported_at?, resolved_at?, taker_fee_rate, neg_risk_id?, neg_risk_index?, is_hindsight
with resolved as (
  select market_id, min(ts) as resolved_at
  from staging.resolutions
  group by market_id
),
reported as (
  select market_id, min(ts) as reported_at
  from staging.reported_resolutions
  group by market_id
)
select
  m.market_id,
  m.venue,
  m.event_id,
  case
    when m.labels[1] is null or lower(m.labels[1]) = 'yes' then m.question
    else m.question || ': ' || m.labels[1] || '?'
  end as question,
  m.category,
  case
    when p.reported_at is not null or m.closed_at <= c.as_of then false
    when m.is_hindsight then true
    else m.is_open
  end as is_open,
  len(m.labels) as n_outcomes,
  m.created_at,
  m.starts_at,
  m.starts_by,
  m.ends_at,
  case when m.closed_at <= c.as_of then m.closed_at end as closed_at,
  p.reported_at,
  r.resolved_at,
  coalesce(m.taker_fee_rate, 0) as taker_fee_rate,
  m.neg_risk_id,
  m.neg_risk_index,
  m.is_hindsight
from staging.markets m
cross join core.clock c
left join resolved r on r.market_id = m.market_id
left join reported p on p.market_id = m.market_id
