-- What a sale, merge, conversion, redemption or resolution realized of one outcome: `size` shares that had cost
-- `cost_usd` on average brought `proceeds_usd`, fees taken off; `pnl_usd` is the difference. A resolution realizes what
-- is held at its payout, and so does each correction of it; a redemption after it realizes only what then differs. A
-- conversion of neg-risk shares hands its cost on and realizes nothing, unless all questions of the group were in it.
-- `tx` and `seq` lead to the event: the fill of a sale, the move of a merge, conversion or redemption; a resolution's
-- `seq` is 0.
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
  join core.fills f on f.trader = n.trader and f.market_id = n.market_id and f.ts = n.ts and f.seq = n.seq
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
