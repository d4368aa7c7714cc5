-- The 50 largest holders of each outcome of a market, the detail of `marts.pm_market_outcomes`. `is_proven` is true for a
-- trader of `metrics.signal_traders`. Less than 0.01 share is left out.
-- columns: market_id, outcome, rank; address, size, cost DECIMAL(18,2), archetype, is_proven
with ranked as (
  select
    p.*,
    row_number() over (partition by p.market_index, p.outcome order by p.size desc, p.trader_index) as rank
  from core.positions p
  where p.size >= 0.01
)
select
  r.market_id,
  r.outcome,
  r.rank,
  r.trader as address,
  r.size,
  r.cost_usd::decimal(18, 2) as cost,
  t.archetype,
  s.trader is not null as is_proven
from ranked r
join metrics.trader_traits t on t.trader = r.trader
left join metrics.signal_traders s on s.trader = r.trader
where r.rank <= 50
