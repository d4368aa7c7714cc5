-- The profit or loss of one outcome by a sale, merge, conversion, redemption or resolution. `size` shares with the
-- average cost `cost_usd` brought `proceeds_usd`, net of fees; `pnl_usd` is the difference. A resolution and each
-- correction of it realize the held shares at their payout. A later redemption realizes only the difference. A
-- conversion of neg-risk shares passes its cost on and realizes nothing, unless it includes all questions of the
-- group.
--
-- `tx` and `seq` identify the event: the fill of a sale, or the move of a merge, conversion or redemption. The `seq`
-- of a resolution is 0.
-- ordered: no
-- columns: trader, market_id, outcome, ts, kind, tx, seq; venue, size, proceeds_usd, cost_usd, pnl_usd
with named as (
  select r.*, t.trader, m.market_id, m.venue, make_timestamp(r.ts_us) as ts
  from core.ledger_realizations r
  join core.ledger_traders t on t.trader_index = r.trader_index
  join core.ledger_markets m on m.market_index = r.market_index
),
caused as (
  select n.*, f.tx
  from named n
  -- The instant and the `seq` identify a trader's fill; without the side, the join would hash the purchases too.
  join core.fills f on f.trader = n.trader and f.ts = n.ts and f.seq = n.seq and f.side = 'sell'
  where n.kind = 'sale'
  union all
  select n.*, v.tx
  from named n
  join core.ledger_moves v on v.trader_index = n.trader_index and v.ts = n.ts and v.seq = n.seq
  where n.kind in ('merge', 'conversion', 'redemption')
  union all
  select n.*, coalesce(s.tx, '')
  from named n
  join staging.resolutions s on s.market_id = n.market_id and s.ts = n.ts
  where n.kind = 'resolution'
)
select
  trader,
  market_id,
  outcome,
  ts,
  kind,
  tx,
  seq,
  venue,
  size * 0.000001 as size,
  proceeds * 0.000001 as proceeds_usd,
  cost * 0.000001 as cost_usd,
  (proceeds - cost) * 0.000001 as pnl_usd
from caused
