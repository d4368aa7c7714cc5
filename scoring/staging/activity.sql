-- What moved a trader's shares or cash without a match, up to the clock, without system addresses.
-- columns: venue, trader, ts, tx, kind, market_id, token_id, seq; size?, cash_usd?, neg_risk_id?, index_set?, source
select venue, trader, ts, tx, kind, market_id, token_id, seq, size, cash_usd, neg_risk_id, index_set, source
from lake.activity a
where ts <= (select as_of from core.clock)
  and not exists (from staging.system_addresses s where s.address = a.trader)
