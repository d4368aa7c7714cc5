-- The tape of the markets: each fill as the market's own history tells it, with the role of its side. A match counts
-- once, by its taker. It serves prices, volumes and closes; a trader's ledger is fed by `staging.fills`.
-- columns: venue, token_id, ts, tx, trader, side, price, size, seq; market_id?, role, cash_usd?, fee_usd?, source
select venue, token_id, ts, tx, trader, side, price, size, seq, market_id, role, cash_usd, fee_usd, source
from lake.fills
where ts <= (select as_of from core.clock)
  -- Histories of accounts do not say who was the maker.
  and role is not null
  -- A combo of several markets has an id two digits short; it is a ledger of its own.
  and (venue <> 'polymarket' or length(market_id) = length('polymarket:0x') + 64)
