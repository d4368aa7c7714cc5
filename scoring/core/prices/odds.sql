-- The order book's prices of outcome 0 at an instant. `mid` requires both sides and a spread of at most 0.10: a wider
-- book gives no price. `shown` is the venue's own figure: the price that it shows, or else its last price. A shown 0.50
-- of a market without liquidity and without a last price stands for no price.
-- A pushed row has no last and no shown price.
-- columns: market_id, ts; bid?, ask?, mid?, last?, shown? DECIMAL(9,6), is_pushed
select
  market_id,
  ts,
  bid,
  ask,
  case when ask >= bid and ask - bid <= 0.10 then (bid + ask) / 2 end as mid,
  "last",
  case
    when venue_price = 0.5 and "last" is null and coalesce(liquidity_usd, 0) = 0 then null
    else coalesce(venue_price, "last")
  end as shown,
  source = 'polymarket_book' as is_pushed
from staging.quotes
where period_s = 0
