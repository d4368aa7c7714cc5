-- Two traders who make the same bets one after the other: wallets of one owner, or a copier and its leader. A bet is the
-- first fill of a trader in a market and direction (outcome 0 bought, or the other one of two sold: up) that the trader
-- did not make. A shared bet is a bet of one of the two among the three bets before a bet of the other in that market and
-- direction, up to six hours before it.
--
--   n_shared    shared bets;   n_first, those in which the trader was first
--   share       n_shared / the bets of the trader
--   lag_s       median time from the trader's bet to the partner's; below 0 if the partner is mostly first
--   expected    shared bets by chance: the places before the bets of one on a UTC day in a category, times the share of
--               the other in the bets of all but the first on that day in that category
--   log10_chance  upper bound of the chance of so many shared bets (Chernoff): (n - e - n ln(n / e)) / ln 10
--
-- A row has at least 10 shared bets, at least 0.3 of the bets of one of the two, and a chance of at most 0.01 over all
-- pairs of traders with 10 bets. Each pair has a row for either trader.
-- columns: trader, partner; n_shared, n_first, share DECIMAL(9,6), lag_s DOUBLE, expected DOUBLE, log10_chance DOUBLE
with rules as (
  select 10 as bets, 21600 as lag_s, 0.3 as share, 0.01 as chance
),
bets as (
  select
    f.trader_index,
    -- The market and direction as one number.
    (f.market_index::bigint * 256 + case when m.n_outcomes = 2 then 0 else f.outcome end) * 2
      + ((f.side = 'buy') = (m.n_outcomes <> 2 or f.outcome = 0))::integer as bet,
    min(f.ts) as ts
  from core.fills f
  join core.ledger_markets m on m.market_index = f.market_index
  where not f.is_self and f.role is distinct from 'maker' and f.size > 0 and f.trader <> ''
  group by 1, 2
),
active as (
  select trader_index, count(*) as n_bets
  from bets
  group by trader_index
  having count(*) >= (select bets from rules)
),
placed as materialized (
  select
    b.trader_index,
    b.ts,
    b.bet // 512 as market_index,
    [lag(b.trader_index, 1) over w, lag(b.trader_index, 2) over w, lag(b.trader_index, 3) over w] as before,
    [lag(b.ts, 1) over w, lag(b.ts, 2) over w, lag(b.ts, 3) over w] as before_ts
  from bets b
  semi join active a on a.trader_index = b.trader_index
  window w as (partition by b.bet order by b.ts, b.trader_index)
),
-- A bet beside each of the three before it.
neighbours as materialized (
  select later, earlier, market_index, day, lag_s
  from (
    select
      trader_index as later,
      market_index,
      ts::date as day,
      unnest(before) as earlier,
      epoch(ts - unnest(before_ts))::bigint as lag_s
    from placed
  )
  where lag_s <= (select lag_s from rules)
),
-- Few pairs share ten bets: their lags are read in a second step.
counts as (
  select least(earlier, later) as a, greatest(earlier, later) as b, count(*) as n_shared
  from neighbours
  group by 1, 2
  having count(*) >= (select bets from rules)
),
likely as materialized (
  select c.*, x.n_bets as a_bets, y.n_bets as b_bets
  from counts c
  join active x on x.trader_index = c.a
  join active y on y.trader_index = c.b
  cross join rules r
  where c.n_shared >= r.share * least(x.n_bets, y.n_bets)
),
lags as (
  select
    l.a,
    l.b,
    count(*) filter (n.earlier = l.a) as n_first,
    median(case when n.earlier = l.a then n.lag_s else -n.lag_s end) as lag_s
  from likely l
  join neighbours n on least(n.earlier, n.later) = l.a and greatest(n.earlier, n.later) = l.b
  group by l.a, l.b
),
members as (
  select a as trader_index from likely
  union
  select b from likely
),
categories as (
  select market_index, coalesce(category, '') as category
  from core.ledger_markets
),
totals as (
  select c.category, p.day, sum(p.n) as n
  from (select market_index, ts::date as day, count(*) as n from placed group by 1, 2) p
  join categories c on c.market_index = p.market_index
  group by 1, 2
),
dailies as (
  select p.trader_index, c.category, p.ts::date as day, count(*) as n
  from placed p
  semi join members m on m.trader_index = p.trader_index
  join categories c on c.market_index = p.market_index
  group by 1, 2, 3
),
-- The places before the bets of a trader, for each bet of all others.
places as (
  select n.later as trader_index, c.category, n.day, count(*) / (any_value(t.n) - any_value(d.n)) as n
  from neighbours n
  semi join members m on m.trader_index = n.later
  join categories c on c.market_index = n.market_index
  join dailies d on d.trader_index = n.later and d.category = c.category and d.day = n.day
  join totals t on t.category = c.category and t.day = n.day
  group by 1, 2, 3
),
chances as (
  select l.a, l.b, sum((s.n * d.n)::decimal(38, 12)) as expected
  from likely l
  join places s on s.trader_index = l.b
  join dailies d on d.trader_index = l.a and d.category = s.category and d.day = s.day
  group by l.a, l.b
  union all
  select l.a, l.b, sum((s.n * d.n)::decimal(38, 12))
  from likely l
  join places s on s.trader_index = l.a
  join dailies d on d.trader_index = l.b and d.category = s.category and d.day = s.day
  group by l.a, l.b
),
expectations as (
  select a, b, sum(expected)::double as expected
  from chances
  group by a, b
),
judged as (
  select
    l.*,
    g.n_first,
    g.lag_s,
    e.expected,
    case when l.n_shared > e.expected then (l.n_shared - e.expected - l.n_shared * ln(l.n_shared / e.expected)) / ln(10) else 0 end
      as log10_chance
  from likely l
  join lags g on g.a = l.a and g.b = l.b
  join expectations e on e.a = l.a and e.b = l.b
),
acting as (
  select j.*
  from judged j
  cross join rules r
  where j.log10_chance + log10((select count(*) * (count(*) - 1) / 2 from active)) <= log10(r.chance)
)
select
  x.trader,
  y.trader as partner,
  j.n_shared,
  j.n_first,
  j.n_shared / j.a_bets as share,
  j.lag_s,
  j.expected,
  j.log10_chance
from acting j
join core.ledger_traders x on x.trader_index = j.a
join core.ledger_traders y on y.trader_index = j.b
union all
select y.trader, x.trader, j.n_shared, j.n_shared - j.n_first, j.n_shared / j.b_bets, -j.lag_s, j.expected, j.log10_chance
from acting j
join core.ledger_traders x on x.trader_index = j.a
join core.ledger_traders y on y.trader_index = j.b
