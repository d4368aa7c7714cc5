-- The price movement of a purchased token over the previous day: its last price before the fill, and the last one 24
-- hours earlier (`core.cumulative_trades`), as prices of the purchased outcome. A price is null without an earlier
-- trade.
-- ordered: no
-- columns: trader_index, ts, seq; market_index, outcome, role?, stake_usd, price_before? DECIMAL(9,6), price_day_before? DECIMAL(9,6)
with buys as (
  select
    f.trader_index,
    f.ts,
    f.seq,
    f.market_index,
    f.outcome,
    f.role,
    f.cash_usd + f.fee_usd as stake_usd,
    case when m.n_outcomes = 2 then 0 else f.outcome end as book,
    m.n_outcomes = 2 and f.outcome = 1 as is_mirrored
  from core.fills f
  join core.ledger_markets m on m.market_index = f.market_index
  where f.side = 'buy' and f.trader <> '' and not f.is_self
)
select
  b.trader_index,
  b.ts,
  b.seq,
  b.market_index,
  b.outcome,
  b.role,
  b.stake_usd,
  case when b.is_mirrored then 1 - p.price else p.price end as price_before,
  case when b.is_mirrored then 1 - d.price else d.price end as price_day_before
from buys b
asof left join core.cumulative_trades p on p.market_index = b.market_index and p.outcome = b.book and p.ts < b.ts
asof left join core.cumulative_trades d
  on d.market_index = b.market_index and d.outcome = b.book and d.ts <= b.ts - interval 24 hours
