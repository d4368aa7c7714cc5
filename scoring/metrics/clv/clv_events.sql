-- A trader's closing line value in one event: the mean of the fills' `edge_points`, weighted by the cash at risk in
-- each, and the sum of that cash. The unit of evidence is the event, not the market: the candidates of one election,
-- or the winner and the total of one game, win and lose together. `close_at` is the last close of its fills.
-- columns: trader, kind, event_id; close_at, edge_points DECIMAL(18,12), risk_usd, n_fills
with summed as (
  select
    trader,
    kind,
    event_id,
    max(close_at) as close_at,
    sum((edge_points::double * risk_usd::double)::decimal(38, 18)) as weighted,
    sum(risk_usd) as risk_usd,
    count(*) as n_fills
  from metrics.clv_fills
  where left_out is null
  group by trader, kind, event_id
)
select trader, kind, event_id, close_at, weighted / risk_usd as edge_points, risk_usd, n_fills
from summed
where risk_usd > 0
