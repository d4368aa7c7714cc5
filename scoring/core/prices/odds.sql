-- The order book's prices of outcome 0 at an instant. `mid` requires a spread of at most 0.10, where an empty side is 0
-- or 1: a wider book gives no price. A spread above 0.01 is also at most the distance of the midpoint to 0 or 1. No
-- order can be below 0, so that the middle of a wide book near 0 is above the price. A price that falls below the least
-- step of the grid has no bid. Without a midpoint there, closes would exist only for prices that did not fall. `shown`
-- is the venue's own figure: the price that it shows, or else its last price. A shown 0.50 of a market without liquidity
-- and without a last price stands for no price. A pushed row has no last and no shown price.
-- columns: market_id, ts; bid?, ask?, mid?, last?, shown? DECIMAL(9,6), is_pushed
select
  market_id,
  ts,
  bid,
  ask,
  case
    when spread between 0 and 0.01 or (spread between 0 and 0.10 and 2 * spread <= least(sides, 2 - sides)) then sides / 2
  end as mid,
  "last",
  case
    when venue_price = 0.5 and "last" is null and coalesce(liquidity_usd, 0) = 0 then null
    else coalesce(venue_price, "last")
  end as shown,
  coalesce(source = book_source, false) as is_pushed
from (
  select
    q.*,
    v.book_source,
    coalesce(q.bid, 0) as lowest,
    coalesce(q.ask, 1) as highest,
    highest - lowest as spread,
    lowest + highest as sides
  from staging.quotes q
  left join core.venues v on v.venue = q.venue
  where q.period_s = 0
)
