-- The profit and loss of a trader by category of the market, over the resolved markets.
with
busiest as (
  select p.address as trader
  from marts.pm_wallet p
  where p.is_complete
  order by p.markets_traded desc, p.address
  limit 1
),
-- Replace this by a trader: select '0x…' as trader, in lower case.
chosen as (
  from busiest
)
select
  t.trader,
  coalesce(m.category, 'none') as category,
  count(*) as n_markets,
  sum(t.cost_usd) as cost_usd,
  sum(t.pnl_usd) as pnl_usd
from chosen c
join core.trader_markets t on t.trader = c.trader
join core.markets m on m.market_id = t.market_id
where m.resolved_at is not null
group by t.trader, coalesce(m.category, 'none')
order by pnl_usd desc, category;
