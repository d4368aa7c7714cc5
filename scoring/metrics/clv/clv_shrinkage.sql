-- The ordered input of the shrinkage: each trader's clusters by kind, range, trader and cluster. `range_index` counts
-- from all time to 30 days.
-- columns: is_markout, range_index, trader_index, category, day; edge_points DOUBLE, risk DOUBLE, maker DOUBLE,
-- price_variance DOUBLE
select
  e.kind = 'markout_24h' as is_markout,
  (case e.range when 'all' then 0 when '90d' then 1 else 2 end)::integer as range_index,
  t.trader_index::integer as trader_index,
  e.edge_points::double as edge_points,
  e.risk_usd::double as risk,
  e.maker_usd::double as maker,
  e.price_variance
from metrics.clv_clusters e
join core.ledger_traders t on t.trader = e.trader
order by is_markout, range_index, t.trader_index, e.category, e.day
