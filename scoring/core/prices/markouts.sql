-- The close of a fill a day after it: the trades of the fill's token by other traders in [ts + 23 h, ts + 25 h], each
-- match once, and the midpoint recorded at that time. If the market resolves before ts + 25 h, the window is the last
-- two hours before the resolution, and `is_resolved`: markets that end early would otherwise be missing, and they end
-- early by their outcome. Three kinds of windows are excluded: those that end after the clock, also if the market has
-- resolved; those that end after a scheduled start, where the price approaches the outcome; those of a fill after the
-- resolution.
--
-- `size` and `cash_usd` are the market's trades minus this trader's own part, as taker or maker. `has_takers`: at least
-- three other takers traded. A match in either of two outcomes is a price of both (`core.prints`). `mid` is that of the
-- last quote at or before the close and before the resolution. It counts if it was recorded, or the venue observed, in
-- the window. It is looked up only if others traded less than 200 shares, or fewer than three of them took.
-- columns: trader_index, ts, seq; market_index, outcome, close_at, size, cash_usd, has_takers BOOLEAN, mid?, is_resolved
with timed as (
  select
    t.trader_index,
    f.ts,
    f.seq,
    n.market_index,
    f.outcome,
    case when m.n_outcomes = 2 then 0 else f.outcome end as book,
    m.n_outcomes = 2 and f.outcome = 1 as is_mirrored,
    m.starts_at,
    coalesce(m.resolved_at <= f.ts + interval 25 hours, false) as is_resolved,
    least(f.ts + interval 25 hours, m.resolved_at) as ends_at
  from core.fills f
  join core.ledger_traders t on t.trader = f.trader
  join core.ledger_markets n on n.market_id = f.market_id
  join core.markets m on m.market_id = f.market_id
  where f.trader <> '' and (m.resolved_at is null or f.ts < m.resolved_at)
),
fills as (
  select
    * exclude (starts_at),
    ends_at - interval 2 hours as opens_at,
    case when is_resolved then ends_at else ts + interval 24 hours end as close_at
  from timed
  where starts_at is null or ends_at < starts_at
),
own as (
  select
    trader_index,
    market_index,
    outcome,
    ts,
    sum(own_size::decimal(18, 6)) over since_begun as size,
    sum(own_usd::decimal(18, 6)) over since_begun as cash_usd,
    max(case when size > 0 then ts end) over since_begun as taken_at
  from core.prints
  where own_size > 0
  window since_begun as (partition by trader_index, market_index, outcome order by ts)
),
others as (
  select
    f.*,
    coalesce(a.size, 0) - coalesce(b.size, 0) - coalesce(c.size, 0) + coalesce(d.size, 0) as size,
    coalesce(a.cash_usd, 0) - coalesce(b.cash_usd, 0) - coalesce(c.cash_usd, 0) + coalesce(d.cash_usd, 0) as cash_usd,
    -- Among four takers three are others; among three, if this trader is none of them.
    coalesce(
      a.fourth_us >= epoch_us(f.opens_at)
        or (a.third_us >= epoch_us(f.opens_at) and (c.taken_at >= f.opens_at) is not true),
      false
    ) as has_takers
  from fills f
  asof left join core.cumulative_trades a
    on a.market_index = f.market_index and a.outcome = f.book and a.ts <= f.ends_at
  asof left join core.cumulative_trades b
    on b.market_index = f.market_index and b.outcome = f.book and b.ts < f.opens_at
  asof left join own c
    on c.trader_index = f.trader_index and c.market_index = f.market_index and c.outcome = f.book
    and c.ts <= f.ends_at
  asof left join own d
    on d.trader_index = f.trader_index and d.market_index = f.market_index and d.outcome = f.book
    and d.ts < f.opens_at
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
  select
    p.trader_index,
    p.ts,
    p.seq,
    p.outcome,
    m.market_id,
    m.venue,
    m.n_outcomes,
    p.opens_at,
    -- From the resolution on, the book shows the payout.
    case when p.is_resolved then p.close_at - interval 1 microsecond else p.close_at end as quoted_at
  from priced p
  join core.ledger_markets n on n.market_index = p.market_index
  join core.markets m on m.market_id = n.market_id
  where p.size < 200 or not p.has_takers
),
quoted as (
  select t.trader_index, t.ts, t.seq, case when t.outcome = 0 then q.mid when t.n_outcomes = 2 then 1 - q.mid end as mid
  from thin t
  asof join core.odds q on q.market_id = t.market_id and q.ts <= t.quoted_at
  asof left join observed o on o.venue = t.venue and o.ts <= t.quoted_at
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
  q.mid,
  p.is_resolved
from priced p
left join quoted q on q.trader_index = p.trader_index and q.ts = p.ts and q.seq = p.seq
-- Last: after a filter by the clock, DuckDB underestimates the fills and compares each with the whole tape.
where p.ts + interval 25 hours <= (select as_of from core.clock)
