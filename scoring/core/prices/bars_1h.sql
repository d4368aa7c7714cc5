-- The hour of an outcome's tape: its first, highest, lowest and last price in US dollars a share, and its volume, each
-- match once, by its taker. An hour without a match has no row. Block trades are excluded, and so are fills of the
-- venue's own contracts. Of an anonymous venue it has the last 24 hours, as `staging.tape` does. Trades of one instant follow their
-- transaction, `seq` and trader.
-- stored: no
-- columns: market_id, outcome, hour_at; open_usd, high_usd, low_usd, close_usd, n_matches, size, volume_usd
select
  t.market_id,
  o.outcome,
  date_trunc('hour', t.ts) as hour_at,
  arg_min(t.price, (t.ts, t.tx, t.seq, t.trader, t.price, t.size)) as open_usd,
  max(t.price) as high_usd,
  min(t.price) as low_usd,
  arg_max(t.price, (t.ts, t.tx, t.seq, t.trader, t.price, t.size)) as close_usd,
  count(*) as n_matches,
  sum(t.size) as size,
  sum(coalesce(t.cash_usd, (t.size::decimal(24, 6) * t.price)::decimal(38, 6))) as volume_usd
from staging.tape t
join core.outcomes o on o.market_id = t.market_id and o.token_id = t.token_id
where t.role = 'taker'
  and t.size > 0
  and not exists (from staging.system_addresses s where s.address = t.trader)
group by t.market_id, o.outcome, hour_at
