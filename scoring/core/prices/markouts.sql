-- The close of a fill a day after it: the trades of the fill's token by other traders in [ts + 23 h, ts + 25 h], each
-- match once, and the midpoint recorded at that time. If the market resolves before ts + 25 h, the window is the last
-- two hours before the resolution, and `is_resolved`: markets that end early would otherwise be missing, and they end
-- early by their outcome. Three kinds of windows are excluded: those that end after the clock, also if the market has
-- resolved; windows that end after a scheduled start, where the price approaches the outcome; windows of a fill after
-- the resolution.
--
-- `size` and `cash_usd` are the market's trades minus this trader's own part, as taker or maker. `has_takers`: at least
-- three other takers traded. A match in either of two outcomes is a price of both (`core.prints`). `mid` is the
-- midpoint of the last quote at or before the close and before the resolution. It counts if it was recorded, or the
-- venue observed, in the window. It is looked up only if others traded less than 200 shares, or fewer than three of
-- them took.
-- ordered: no
-- columns: trader_index, ts, seq; market_index, outcome, close_at, size DECIMAL(18,6), cash_usd DECIMAL(18,6),
-- has_takers BOOLEAN, mid?, is_resolved
with timed as (
  select
    f.trader_index,
    f.ts,
    f.seq,
    f.market_index,
    f.outcome,
    case when m.n_outcomes = 2 then 0 else f.outcome end as book,
    m.n_outcomes = 2 and f.outcome = 1 as is_mirrored,
    m.starts_at,
    coalesce(m.resolved_at <= f.ts + interval 25 hours, false) as is_resolved,
    least(f.ts + interval 25 hours, m.resolved_at) as ends_at
  from core.fills f
  join core.ledger_markets m on m.market_index = f.market_index
  where m.resolved_at is null or f.ts < m.resolved_at
),
fills as (
  select
    * exclude (starts_at),
    ends_at - interval 2 hours as opens_at,
    case when is_resolved then ends_at else ts + interval 24 hours end as close_at
  from timed
  where starts_at is null or ends_at < starts_at
),
-- Both sides of a match have the same windows.
windows as (
  select distinct market_index, book, ts, opens_at, ends_at
  from fills
),
traded as (
  select
    w.market_index,
    w.book,
    w.ts,
    coalesce(a.size, 0) - coalesce(b.size, 0) as size,
    coalesce(a.cash_usd, 0) - coalesce(b.cash_usd, 0) as cash_usd,
    coalesce(a.third_us >= epoch_us(w.opens_at), false) as has_three,
    coalesce(a.fourth_us >= epoch_us(w.opens_at), false) as has_four
  from windows w
  asof left join core.cumulative_trades a
    on a.market_index = w.market_index and a.outcome = w.book and a.ts <= w.ends_at
  asof left join core.cumulative_trades b
    on b.market_index = w.market_index and b.outcome = w.book and b.ts < w.opens_at
),
-- The pairs of hours in which a trader was part of the trades. A window of two hours lies in one or two of them.
hours as (
  select trader_index, market_index, outcome, (epoch_us(ts) // 7200000000)::integer as pair
  from core.prints
  where own_size > 0
),
-- The fills whose trader may be part of the trades of the window.
mixed as (
  select distinct f.trader_index, f.market_index, f.book, f.ts, f.opens_at, f.ends_at
  from (
    select *, unnest([(epoch_us(opens_at) // 7200000000)::integer, (epoch_us(ends_at) // 7200000000)::integer]) as pair
    from fills
  ) f
  semi join hours h
    on h.trader_index = f.trader_index and h.market_index = f.market_index and h.outcome = f.book and h.pair = f.pair
),
own as (
  select
    p.trader_index,
    p.market_index,
    p.outcome,
    p.ts,
    (sum(p.own_size) over since_begun)::decimal(18, 6) as size,
    (sum(p.own_usd) over since_begun)::decimal(18, 6) as cash_usd,
    max(case when p.size > 0 then p.ts end) over since_begun as taken_at
  from core.prints p
  semi join mixed m on m.trader_index = p.trader_index and m.market_index = p.market_index and m.book = p.outcome
  where p.own_size > 0
  window since_begun as (partition by p.trader_index, p.market_index, p.outcome order by p.ts)
),
parts as (
  select
    m.trader_index,
    m.market_index,
    m.book,
    m.ts,
    coalesce(c.size, 0) - coalesce(d.size, 0) as size,
    coalesce(c.cash_usd, 0) - coalesce(d.cash_usd, 0) as cash_usd,
    coalesce(c.taken_at >= m.opens_at, false) as is_taker
  from mixed m
  asof left join own c
    on c.trader_index = m.trader_index and c.market_index = m.market_index and c.outcome = m.book and c.ts <= m.ends_at
  asof left join own d
    on d.trader_index = m.trader_index and d.market_index = m.market_index and d.outcome = m.book and d.ts < m.opens_at
),
others as (
  select
    f.*,
    t.size - coalesce(p.size, 0) as size,
    t.cash_usd - coalesce(p.cash_usd, 0) as cash_usd,
    -- Among four takers three are others; among three, if this trader is none of them.
    t.has_four or (t.has_three and not coalesce(p.is_taker, false)) as has_takers
  from fills f
  join traded t on t.market_index = f.market_index and t.book = f.book and t.ts = f.ts
  left join parts p
    on p.trader_index = f.trader_index and p.market_index = f.market_index and p.book = f.book and p.ts = f.ts
),
priced as (
  select
    * exclude (book, is_mirrored, ends_at, cash_usd),
    case when is_mirrored then size - cash_usd else cash_usd end as cash_usd
  from others
),
observed as (
  select distinct part as venue, from_at as ts
  from lake.coverage
  where dataset = 'quotes' and state in ('done', 'head') and from_at is not null
),
thin as (
  select distinct
    p.market_index,
    p.ts,
    p.opens_at,
    -- From the resolution on, the book shows the payout.
    case when p.is_resolved then p.close_at - interval 1 microsecond else p.close_at end as quoted_at
  from priced p
  where p.size < 200 or not p.has_takers
),
odds as (
  select n.market_index, q.ts, q.mid
  from core.odds q
  join core.ledger_markets n on n.market_id = q.market_id
),
quoted as (
  select t.market_index, t.ts, m.n_outcomes, q.mid
  from thin t
  join core.ledger_markets m on m.market_index = t.market_index
  asof join odds q on q.market_index = t.market_index and q.ts <= t.quoted_at
  asof left join observed o on o.venue = m.venue and o.ts <= t.quoted_at
  where q.ts >= t.opens_at or o.ts >= t.opens_at
)
select
  p.trader_index,
  p.ts,
  p.seq,
  p.market_index,
  p.outcome,
  p.close_at,
  p.size,
  p.cash_usd,
  p.has_takers,
  case
    when p.size >= 200 and p.has_takers then null
    when p.outcome = 0 then q.mid
    when q.n_outcomes = 2 then 1 - q.mid
  end as mid,
  p.is_resolved
from priced p
left join quoted q on q.market_index = p.market_index and q.ts = p.ts
-- Last: after a filter by the clock, DuckDB underestimates the fills and compares each with the whole tape.
where p.ts + interval 25 hours <= (select as_of from core.clock)
