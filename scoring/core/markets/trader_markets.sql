-- A trader's result in a market over all time. The market is closed for the trader when it has resolved, or when the
-- trader holds less than 0.01 share of every outcome. `closed_at` is the resolution, or the last sale if the trader
-- left before. `volume_usd` and `maker_usd` leave out trades of the trader with itself. `cost_usd` is the total paid
-- in, fees included. `entry_price` is the mean price a share of the purchases, before fees: how often chance without skill
-- would win it. It is null without a purchase.
-- ordered: no
-- columns: trader, market_id; venue, event_id, n_fills, cost_usd, pnl_usd, volume_usd, maker_usd, entry_price? DECIMAL(9,6),
-- first_at, last_at, closed_at?, is_complete, trader_index
with traded as (
  select
    trader_index,
    market_index,
    count(*) as n_fills,
    sum(cash_usd) filter (not is_self) as volume_usd,
    sum(cash_usd) filter (role = 'maker' and not is_self) as maker_usd,
    sum(cash_usd) filter (side = 'buy') as bought_usd,
    sum(size) filter (side = 'buy') as size_bought
  from core.fills
  group by trader_index, market_index
),
held as (
  select
    trader_index,
    market_index,
    sum(bought_usd) as cost_usd,
    sum(realized_usd) as pnl_usd,
    max(size) as largest,
    min(first_at) as first_at,
    max(last_at) as last_at,
    bool_and(is_complete) as is_complete
  from core.positions
  group by trader_index, market_index
),
-- A market without a description has no result.
markets as (
  select market_index, market_id, venue, event_id, resolved_at
  from core.ledger_markets
  where event_id is not null
),
exits as (
  select
    r.trader_index,
    r.market_index,
    max(r.ts) filter (r.kind in ('sale', 'merge', 'conversion') and r.ts <= coalesce(m.resolved_at, r.ts)) as last_sale_at,
    bool_or(r.kind = 'resolution' and r.size >= 0.01) as was_held
  from core.realizations r
  join markets m on m.market_index = r.market_index
  group by r.trader_index, r.market_index
),
results as (
  select *
  from held h
  left join traded t using (trader_index, market_index)
  left join exits e using (trader_index, market_index)
  -- The order of the key, by numbers.
  order by trader_index, market_index
)
select
  n.trader,
  m.market_id,
  m.venue,
  m.event_id,
  coalesce(r.n_fills, 0) as n_fills,
  r.cost_usd,
  r.pnl_usd,
  coalesce(r.volume_usd, 0) as volume_usd,
  coalesce(r.maker_usd, 0) as maker_usd,
  case when r.size_bought > 0 then least(r.bought_usd / r.size_bought, 1) end as entry_price,
  r.first_at,
  r.last_at,
  case
    when m.resolved_at is not null and coalesce(r.was_held, false) then m.resolved_at
    when m.resolved_at is not null then coalesce(r.last_sale_at, m.resolved_at)
    when r.largest < 0.01 then r.last_sale_at
  end as closed_at,
  r.is_complete,
  r.trader_index
from results r
join core.ledger_traders n on n.trader_index = r.trader_index
join markets m on m.market_index = r.market_index
