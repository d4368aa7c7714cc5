-- A market as described at the clock: each source's last description at or before the clock. Without one, the source's
-- first later description is used (`is_hindsight`), and only properties fixed at creation may be read from it (ids,
-- tokens, labels, question, schedule, neg-risk group). A source that had observed the market by the clock precedes
-- other sources; otherwise the preferred source counts.
-- columns: market_id; seen_at, venue, event_id, question, labels VARCHAR[], token_ids VARCHAR[], category?, tags VARCHAR[],
-- url?, status, is_open, created_at?, starts_at?, starts_by?, ends_at?, closed_at?, collateral, taker_fee_rate?,
-- maker_fee_rate?, neg_risk_id?, neg_risk_index?, source, is_hindsight
with ranked as (
  select
    m.*,
    m.seen_at > c.as_of as is_hindsight,
    row_number() over (
      partition by m.market_id
      order by
        m.seen_at > c.as_of,
        p.precedence desc nulls last,
        case when m.seen_at > c.as_of then m.seen_at end,
        m.seen_at desc,
        m.source
    ) as nth
  from lake.markets m
  cross join core.clock c
  left join staging.precedences p on p.dataset = 'markets' and p.source = m.source
  -- Markets created after the clock do not exist yet.
  where coalesce(m.created_at, m.seen_at) <= c.as_of
)
select
  market_id, seen_at, venue, event_id, question, labels, token_ids, category, tags, url, status, is_open, created_at,
  starts_at, starts_by, ends_at, closed_at, collateral, taker_fee_rate, maker_fee_rate, neg_risk_id, neg_risk_index,
  source, is_hindsight
from ranked
where nth = 1
