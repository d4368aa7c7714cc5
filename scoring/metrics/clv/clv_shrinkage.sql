-- The ordered input of the shrinkage: each trader's events by kind, trader and event. `n_ranges` is the number of
-- windows that contain the event's close (1: all time only; 2: also 90 days; 3: also 30 days).
-- columns: is_markout, trader_index, event_id; edge_points DOUBLE, risk DOUBLE, n_ranges INTEGER
select
  e.kind = 'markout_24h' as is_markout,
  t.trader_index::integer as trader_index,
  e.edge_points::double as edge_points,
  e.risk_usd::double as risk,
  (1 + (e.close_at > c.as_of - interval 2160 hours)::integer + (e.close_at > c.as_of - interval 720 hours)::integer)::integer
    as n_ranges
from metrics.clv_events e
join core.ledger_traders t on t.trader = e.trader
cross join core.clock c
order by is_markout, t.trader_index, e.event_id
