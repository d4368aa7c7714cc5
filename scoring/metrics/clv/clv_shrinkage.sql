-- The ordered input of the shrinkage: each trader's clusters by range, kind, trader and cluster, with the trader's role.
-- `range_index` counts from all time to 30 days. `is_trusted` is false if the guard of the kind does not hold.
-- columns: range_index, is_markout, trader_index, category, day; edge_points DOUBLE, risk DOUBLE, maker DOUBLE,
-- price_variance DOUBLE, role, both_sides DOUBLE, net DOUBLE, is_trusted
select
  (case e.range when 'all' then 0 when '90d' then 1 else 2 end)::integer as range_index,
  e.kind = 'markout_24h' as is_markout,
  t.trader_index::integer as trader_index,
  e.edge_points::double as edge_points,
  e.risk_usd::double as risk,
  e.maker_usd::double as maker,
  e.price_variance,
  s.role,
  s.both_sides_share::double as both_sides,
  s.net_share::double as net,
  coalesce(g.is_held, true) as is_trusted
from metrics.clv_clusters e
join core.ledger_traders t on t.trader = e.trader
join metrics.trader_styles s on s.trader_index = t.trader_index
left join metrics.clv_guards g on g.kind = e.kind
order by range_index, is_markout, t.trader_index, e.category, e.day
