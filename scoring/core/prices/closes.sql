-- The close of an outcome with a known start, release or deadline: the market's trades in the quarter of an hour before
-- it, [opens_at, close_at], each match once, and the last midpoint recorded in that time. The price for a trader is
-- the price of the other traders: (cash_usd - own) / (size - own), with own from `core.close_shares`. At least three
-- other takers must have traded at least 200 shares; otherwise the price is the midpoint. A threshold in US dollars
-- would make a close exist where the price rose. The last price before a resolution is never used, because it is the
-- outcome.
--
-- A match in either of two outcomes is a price of both (`core.prints`). `mid` is the midpoint of the last quote at or
-- before the close and before the resolution. It counts if the quote was recorded in the window, or if the venue was
-- observed unchanged in the window. `is_hindsight` marks a start that was first seen after it had passed. A future
-- close has no row.
-- columns: market_id, outcome; opens_at, close_at, starts_by, cash_usd, size, n_fills, n_takers, mid?,
-- is_hindsight
with scheduled as (
  select
    market_id,
    market_index,
    venue,
    n_outcomes,
    starts_at - interval 15 minutes as opens_at,
    starts_at as close_at,
    -- From the resolution on, the book shows the payout.
    least(starts_at, resolved_at - interval 1 microsecond) as quoted_at,
    coalesce(starts_by, '') as starts_by
  from core.ledger_markets
  where starts_at <= (select as_of from core.clock)
),
traded as (
  select
    s.market_index,
    p.outcome,
    sum(p.cash_usd) as cash_usd,
    sum(p.size) as size,
    sum(p.n_matches) as n_fills,
    -- An address without a ledger has the number -1: all of them are one taker.
    count(distinct p.trader_index) filter (p.size > 0) as n_takers
  from scheduled s
  join core.prints p on p.market_index = s.market_index and p.ts >= s.opens_at and p.ts <= s.close_at
  group by s.market_index, p.outcome
),
observed as (
  select distinct part as venue, from_at as ts
  from lake.coverage
  where dataset = 'quotes' and state in ('done', 'head') and from_at is not null
),
quoted as (
  select s.market_index, q.mid
  from scheduled s
  asof join core.odds q on q.market_id = s.market_id and q.ts <= s.quoted_at
  asof left join observed o on o.venue = s.venue and o.ts <= s.quoted_at
  where q.ts >= s.opens_at or o.ts >= s.opens_at
),
announced as (
  select m.market_id, m.starts_at, min(m.seen_at) as seen_at
  from lake.markets m
  where m.starts_at is not null
  group by m.market_id, m.starts_at
)
select
  s.market_id,
  o.outcome,
  s.opens_at,
  s.close_at,
  s.starts_by,
  case
    when t.size is null then 0
    when s.n_outcomes = 2 and o.outcome = 1 then t.size - t.cash_usd
    else t.cash_usd
  end as cash_usd,
  coalesce(t.size, 0) as size,
  coalesce(t.n_fills, 0) as n_fills,
  coalesce(t.n_takers, 0) as n_takers,
  case when o.outcome = 0 then q.mid when s.n_outcomes = 2 then 1 - q.mid end as mid,
  coalesce(a.seen_at > s.close_at, true) as is_hindsight
from scheduled s
join core.outcomes o on o.market_id = s.market_id
left join traded t on t.market_index = s.market_index and t.outcome = case when s.n_outcomes = 2 then 0 else o.outcome end
left join quoted q on q.market_index = s.market_index
left join announced a on a.market_id = s.market_id and a.starts_at = s.close_at
