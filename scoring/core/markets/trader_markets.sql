-- A trader's result in a market over all time. The market is closed for the trader when it has resolved, or when the
-- trader holds less than 0.01 share of every outcome. `closed_at` is the resolution, or the last sale if the trader
-- left before. `volume_usd` and `maker_usd` leave out trades of the trader with itself. `cost_usd` is the total paid
-- in, fees included. `entry_price` is the mean price a share of the purchases, before fees: how often chance alone
-- would win it. It is null without a purchase.
-- columns: trader, market_id; venue, event_id, n_fills, cost_usd, pnl_usd, volume_usd, maker_usd, entry_price? DECIMAL(9,6),
-- first_at, last_at, closed_at?, is_complete
with traded as (
  select
    trader,
    market_id,
    count(*) as n_fills,
    sum(cash_usd) filter (not is_self) as volume_usd,
    sum(cash_usd) filter (role = 'maker' and not is_self) as maker_usd,
    sum(cash_usd) filter (side = 'buy') as bought_usd,
    sum(size) filter (side = 'buy') as size_bought
  from core.fills
  group by trader, market_id
),
held as (
  select
    trader,
    market_id,
    min(venue) as venue,
    sum(bought_usd) as cost_usd,
    sum(realized_usd) as pnl_usd,
    max(size) as largest,
    min(first_at) as first_at,
    max(last_at) as last_at,
    bool_and(is_complete) as is_complete
  from core.positions
  group by trader, market_id
),
exits as (
  select
    r.trader,
    r.market_id,
    max(r.ts) filter (r.kind in ('sale', 'merge', 'conversion') and r.ts <= coalesce(m.resolved_at, r.ts)) as last_sale_at,
    bool_or(r.kind = 'resolution' and r.size >= 0.01) as was_held
  from core.realizations r
  join core.markets m on m.market_id = r.market_id
  group by r.trader, r.market_id
)
select
  h.trader,
  h.market_id,
  h.venue,
  m.event_id,
  coalesce(t.n_fills, 0) as n_fills,
  h.cost_usd,
  h.pnl_usd,
  coalesce(t.volume_usd, 0) as volume_usd,
  coalesce(t.maker_usd, 0) as maker_usd,
  case when t.size_bought > 0 then least(t.bought_usd / t.size_bought, 1) end as entry_price,
  h.first_at,
  h.last_at,
  case
    when m.resolved_at is not null and coalesce(e.was_held, false) then m.resolved_at
    when m.resolved_at is not null then coalesce(e.last_sale_at, m.resolved_at)
    when h.largest < 0.01 then e.last_sale_at
  end as closed_at,
  h.is_complete
from held h
join core.markets m on m.market_id = h.market_id
left join traded t on t.trader = h.trader and t.market_id = h.market_id
left join exits e on e.trader = h.trader and e.market_id = h.market_id
