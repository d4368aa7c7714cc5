-- A market with its dates and its holders, by outcome, as `/v1/market-outcomes` serves it. `size` is the shares that
-- known traders hold, and `n_holders` their number, each with 0.01 share or more. The proven holders are those of
-- `metrics.signal_traders`. `payout` is null before the resolution. An anonymous venue has no holders.
-- columns: market_id, outcome; label, category?, event_id, created_at?, starts_at?, ends_at?, closed_at?, resolved_at?, payout?,
-- n_holders, size, n_proven, size_proven
with holders as (
  select
    p.market_id,
    p.outcome,
    count(*) as n_holders,
    sum(p.size) as size,
    count(s.trader) as n_proven,
    coalesce(sum(p.size) filter (s.trader is not null), 0) as size_proven
  from core.positions p
  left join metrics.signal_traders s on s.trader = p.trader
  where p.size >= 0.01
  group by p.market_id, p.outcome
)
select
  m.market_id,
  o.outcome,
  o.label,
  m.category,
  m.event_id,
  m.created_at,
  m.starts_at,
  m.ends_at,
  m.closed_at,
  m.resolved_at,
  o.payout,
  coalesce(h.n_holders, 0) as n_holders,
  coalesce(h.size, 0) as size,
  coalesce(h.n_proven, 0) as n_proven,
  coalesce(h.size_proven, 0) as size_proven
from core.market_states m
join core.outcomes o on o.market_id = m.market_id
left join holders h on h.market_id = m.market_id and h.outcome = o.outcome
