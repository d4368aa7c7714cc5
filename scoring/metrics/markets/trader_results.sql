-- A trader's result over 30d, 90d or all time. `realized_usd` is the result realized in (clock - window, clock] over
-- all markets. `volume_usd` leaves out trades of the trader with itself. `win_rate` is the share of markets with a
-- positive result over all time, among the markets that closed in the window with at least 1 USD paid in.
-- `lower_win_rate` is Wilson's lower 95 % bound. `shrunk_win_rate` is shrunk towards the share of all traders, which
-- counts as ten markets. `expected_win_rate` is the mean of these markets' mean prices paid, the win rate that chance
-- gives: at 0.95 a share, 95 % won is no skill. `roi` is their result over the cash paid into them.
-- column expected_win_rate: Win rate that chance gives at the prices paid, 0 to 1
-- columns: trader, range; realized_usd, volume_usd, untracked_usd, n_markets, n_closed, n_won, win_rate, shrunk_win_rate,
-- lower_win_rate, expected_win_rate?, roi? DOUBLE, is_complete
with ranges as (
  select *
  from (values ('30d', interval 720 hours), ('90d', interval 2160 hours), ('all', null)) as t (range, length)
),
windows as (
  select r.range, coalesce(c.as_of - r.length, timestamp '0001-01-01') as from_at, c.as_of as to_at
  from ranges r
  cross join core.clock c
),
bounds as (
  select
    any_value(from_at) filter (range = '90d') as from_90d,
    any_value(from_at) filter (range = '30d') as from_30d,
    any_value(to_at) as to_at
  from windows
),
realized as (
  select r.trader_index, w.range, sum(r.pnl_usd) as realized_usd
  from core.realizations r
  join windows w on r.ts > w.from_at and r.ts <= w.to_at
  group by r.trader_index, w.range
),
-- Market by market for all ranges at once: a row for each fill and range would be three times as many.
by_market as (
  select
    f.trader_index,
    f.market_index,
    max(f.ts) as last_at,
    sum(f.cash_usd) filter (not f.is_self) as usd_all,
    sum(f.cash_usd) filter (not f.is_self and f.ts > w.from_90d) as usd_90d,
    sum(f.cash_usd) filter (not f.is_self and f.ts > w.from_30d) as usd_30d
  from core.fills f
  cross join bounds w
  where f.ts <= w.to_at
  group by f.trader_index, f.market_index
),
by_trader as (
  select
    b.trader_index,
    sum(b.usd_all) as usd_all,
    sum(b.usd_90d) as usd_90d,
    sum(b.usd_30d) as usd_30d,
    count(*) as n_all,
    count(*) filter (b.last_at > w.from_90d) as n_90d,
    count(*) filter (b.last_at > w.from_30d) as n_30d
  from by_market b
  cross join bounds w
  group by b.trader_index
),
traded as (
  select trader_index, 'all' as range, usd_all as volume_usd, n_all as n_markets from by_trader
  union all
  select trader_index, '90d', usd_90d, n_90d from by_trader
  union all
  select trader_index, '30d', usd_30d, n_30d from by_trader
),
closed as (
  select
    t.trader_index,
    w.range,
    count(*) as n_closed,
    count(*) filter (t.pnl_usd > 0) as n_won,
    sum(t.entry_price) / count(t.entry_price) as expected_win_rate,
    sum(t.pnl_usd) / sum(t.cost_usd) as roi
  from core.trader_markets t
  join windows w on t.closed_at > w.from_at and t.closed_at <= w.to_at
  where t.cost_usd >= 1
  group by t.trader_index, w.range
),
population as (
  select range, sum(n_won)::double / sum(n_closed) as share
  from closed
  group by range
),
counted as (
  select
    h.trader,
    w.range,
    coalesce(r.realized_usd, 0) as realized_usd,
    coalesce(t.volume_usd, 0) as volume_usd,
    h.untracked_usd,
    coalesce(t.n_markets, 0) as n_markets,
    coalesce(c.n_closed, 0) as n_closed,
    coalesce(c.n_won, 0) as n_won,
    coalesce(p.share, 0) as share,
    c.expected_win_rate,
    c.roi,
    h.is_complete
  from core.history_completeness h
  cross join windows w
  left join core.ledger_traders n on n.trader = h.trader
  left join realized r on r.trader_index = n.trader_index and r.range = w.range
  left join traded t on t.trader_index = n.trader_index and t.range = w.range
  left join closed c on c.trader_index = n.trader_index and c.range = w.range
  left join population p on p.range = w.range
)
select
  trader,
  range,
  realized_usd,
  volume_usd,
  untracked_usd,
  n_markets,
  n_closed,
  n_won,
  case when n_closed > 0 then n_won / n_closed else 0 end as win_rate,
  (n_won + 10 * share) / (n_closed + 10) as shrunk_win_rate,
  case
    when n_closed = 0 then 0
    else greatest(0, (
      n_won / n_closed + 1.959964 ^ 2 / (2 * n_closed)
      - 1.959964 * sqrt((n_won / n_closed * (1 - n_won / n_closed) + 1.959964 ^ 2 / (4 * n_closed)) / n_closed)
    ) / (1 + 1.959964 ^ 2 / n_closed))
  end as lower_win_rate,
  expected_win_rate,
  roi,
  is_complete
from counted
