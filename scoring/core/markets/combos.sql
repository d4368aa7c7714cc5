-- The parlays of a trader. A combo of several markets is no market: its shares have no place in positions and results.
-- `combo_usd` is the cash received for them minus the cash paid, fees included. It rests on the account's own history;
-- a trader without a combo has no row.
-- columns: trader; n_fills, combo_usd
with accounts as (
  select source, part as venue, key as trader, from_at, to_at
  from staging.coverage_intervals
  where dataset in ('fills', 'activity') and key <> ''
),
fills as (
  select
    f.trader,
    1 as n_fills,
    case f.side when 'buy' then -1 else 1 end * coalesce(f.cash_usd, (f.size::decimal(24, 6) * f.price)::decimal(38, 6))
      - coalesce(f.fee_usd, 0) as usd
  from lake.fills f
  semi join accounts a
    on a.source = f.source and a.venue = f.venue and a.trader = f.trader and f.ts >= a.from_at and f.ts < a.to_at
  join core.venues v on v.venue = f.venue
  where f.ts <= (select as_of from core.clock)
    and starts_with(f.market_id, v.combo_prefix) and length(f.market_id) = v.combo_length
),
moves as (
  select
    m.trader,
    0 as n_fills,
    case m.kind when 'split' then -m.size when 'merge' then m.size else m.cash_usd end as usd
  from lake.activity m
  semi join accounts a
    on a.source = m.source and a.venue = m.venue and a.trader = m.trader and m.ts >= a.from_at and m.ts < a.to_at
  join core.venues v on v.venue = m.venue
  where m.ts <= (select as_of from core.clock)
    and starts_with(m.market_id, v.combo_prefix) and length(m.market_id) = v.combo_length
)
select coalesce(a.trader, c.trader) as trader, sum(c.n_fills) as n_fills, coalesce(sum(c.usd), 0) as combo_usd
from (from fills union all from moves) c
left join core.trader_addresses a on a.wallet = c.trader
where not exists (from staging.system_addresses s where s.address = c.trader)
group by coalesce(a.trader, c.trader)
