-- A trader's closing line value over the fills of a period with a close known at its end. The period begins at
-- `core.period` and ends at the clock. The value is not shrunk. It is weighted as in `metrics.clv`, by events of the
-- period alone. An event counts by its cash at risk, up to the 95th percentile of the trader's own events.
-- columns: trader, kind; realized_points DECIMAL(18,12), n_events, n_fills
with events as (
  select
    f.trader,
    f.kind,
    f.event_id,
    sum((f.edge_points::double * f.risk_usd::double)::decimal(38, 12)) / sum(f.risk_usd) as edge_points,
    sum(f.risk_usd)::double as risk,
    count(*) as n_fills
  from metrics.clv_fills f
  join core.period p on f.ts > p.from_at
  where f.left_out is null
  group by f.trader, f.kind, f.event_id
  having sum(f.risk_usd) > 0
),
capped as (
  select *, least(risk, quantile_cont(risk, 0.95) over (partition by trader, kind)) as weight
  from events
)
select
  trader,
  kind,
  sum((edge_points * weight)::decimal(38, 12)) / sum(weight::decimal(38, 6)) as realized_points,
  count(*) as n_events,
  sum(n_fills) as n_fills
from capped
group by trader, kind
