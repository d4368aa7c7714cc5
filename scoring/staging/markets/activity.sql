-- A movement of a trader's shares or cash without a match, up to the clock, within the account's coverage. System
-- addresses and combos are excluded. A venue may write other sizes than the number of sets (`core.venues`). A set is a
-- dollar, so the splits and merges of such a venue have the size of their cash.
-- columns: venue, trader, ts, tx, kind, market_id, token_id, seq; size?, cash_usd?, neg_risk_id?, index_set?, source
select
  a.venue,
  a.trader,
  a.ts,
  a.tx,
  a.kind,
  a.market_id,
  a.token_id,
  a.seq,
  case when v.is_set_by_cash and a.kind in ('split', 'merge') then a.cash_usd else a.size end as size,
  a.cash_usd,
  a.neg_risk_id,
  a.index_set,
  a.source
from lake.activity a
semi join staging.coverage_intervals s
  on s.dataset = 'activity' and s.source = a.source and s.part = a.venue and s.key = a.trader and a.ts >= s.from_at
  and a.ts < s.to_at
left join core.venues v on v.venue = a.venue
where a.ts <= (select as_of from core.clock)
  and (starts_with(a.market_id, v.combo_prefix) and length(a.market_id) = v.combo_length) is not true
  and not exists (from staging.system_addresses s where s.address = a.trader)
