-- The profit or loss of one outcome by a sale, merge, conversion, redemption or resolution. `size` shares with the
-- average cost `cost_usd` brought `proceeds_usd`, net of fees; `pnl_usd` is the difference. A resolution and each
-- correction of it realize the held shares at their payout. A later redemption realizes only the difference. A
-- conversion of neg-risk shares passes its cost on and realizes nothing, unless it includes all questions of the
-- group. A migration passes its cost on too. A transfer to somebody else realizes its value (`core.share_transfers`).
--
-- `tx` and `seq` identify the event: the fill of a sale, or the move of any other kind. The `seq` of a resolution is 0.
-- ordered: no
-- columns: trader, market_id, outcome, ts, kind, tx, seq; venue, size, proceeds_usd, cost_usd, pnl_usd, trader_index,
-- market_index
with dated as (
  select *, make_timestamp(ts_us) as ts
  from core.ledger_realizations
),
caused as (
  select r.*, f.tx
  from dated r
  -- The instant and the `seq` identify a trader's fill; without the side, the join would hash the purchases too.
  join core.fills f on f.trader_index = r.trader_index and f.ts = r.ts and f.seq = r.seq and f.side = 'sell'
  where r.kind = 'sale'
  union all
  select r.*, v.tx
  from dated r
  join core.ledger_moves v on v.trader_index = r.trader_index and v.ts = r.ts and v.seq = r.seq
  where r.kind not in ('sale', 'resolution')
  union all
  select r.*, coalesce(s.tx, '')
  from dated r
  join core.ledger_markets m on m.market_index = r.market_index
  join staging.resolutions s on s.market_id = m.market_id and s.ts = r.ts
  where r.kind = 'resolution'
)
select
  t.trader,
  m.market_id,
  c.outcome,
  c.ts,
  c.kind,
  c.tx,
  c.seq,
  m.venue,
  -- As in `core.positions`: decimals of 18 digits are computed with 64 bits.
  c.size::decimal(18, 0) * 0.000001 as size,
  c.proceeds::decimal(18, 0) * 0.000001 as proceeds_usd,
  c.cost::decimal(18, 0) * 0.000001 as cost_usd,
  (c.proceeds - c.cost)::decimal(18, 0) * 0.000001 as pnl_usd,
  c.trader_index,
  c.market_index
from caused c
join core.ledger_traders t on t.trader_index = c.trader_index
join core.ledger_markets m on m.market_index = c.market_index
