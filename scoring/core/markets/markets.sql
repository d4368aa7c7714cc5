-- A market as of the clock (`core.market_states`), with the assets that the matcher of posts finds in its question.
-- columns: market_id; venue, event_id, question, category?, symbols VARCHAR[], is_open, n_outcomes, created_at?, starts_at?,
-- starts_by?, ends_at?, closed_at?, reported_at?, resolved_at?, taker_fee_rate, neg_risk_id?, neg_risk_index?,
-- is_hindsight
with named as (
  select market_id, list(symbol order by symbol) as symbols
  from core.question_symbols
  group by market_id
)
select
  m.market_id,
  m.venue,
  m.event_id,
  m.question,
  m.category,
  coalesce(n.symbols, []) as symbols,
  m.is_open,
  m.n_outcomes,
  m.created_at,
  m.starts_at,
  m.starts_by,
  m.ends_at,
  m.closed_at,
  m.reported_at,
  m.resolved_at,
  m.taker_fee_rate,
  m.neg_risk_id,
  m.neg_risk_index,
  m.is_hindsight
from core.market_states m
left join named n on n.market_id = m.market_id
