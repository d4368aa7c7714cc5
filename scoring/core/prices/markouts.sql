-- The close of a fill a day after it: the trades of the fill's token by other traders in [ts + 23 h, ts + 25 h], each
-- match once, and the midpoint recorded at that time. Three kinds of windows are excluded: those that end after the
-- clock; those that end after a scheduled start, where the price approaches the outcome; those that begin after the
-- resolution, where the price is the payout.
--
-- `size` and `cash_usd` are the market's trades minus this trader's own part, as taker or maker. A match in either of
-- two outcomes is a price of both (`core.prints`). `mid` is that of the last quote at or before ts + 24 h and before
-- the resolution. It counts if it was recorded, or the venue observed, from ts + 23 h on. It is looked up only if other
-- traders traded less than 100 USD.
-- columns: trader_index, ts, seq; market_index, outcome, size, cash_usd, mid?
with fills as (
  select
    t.trader_index,
    f.ts,
    f.seq,
    n.market_index,
    f.outcome,
    case when m.n_outcomes = 2 then 0 else f.outcome end as book,
    m.n_outcomes = 2 and f.outcome = 1 as is_mirrored
  from core.fills f
  join core.ledger_traders t on t.trader = f.trader
  join core.ledger_markets n on n.market_id = f.market_id
  join core.markets m on m.market_id = f.market_id
  where f.trader <> ''
    and (m.starts_at is null or f.ts + interval 25 hours < m.starts_at)
    and (m.resolved_at is null or f.ts + interval 23 hours < m.resolved_at)
),
own as (
  select
    trader_index,
    market_index,
    outcome,
    ts,
    sum(own_size::decimal(18, 6)) over since_begun as size,
    sum(own_usd::decimal(18, 6)) over since_begun as cash_usd
  from core.prints
  where own_size > 0
  window since_begun as (partition by trader_index, market_index, outcome order by ts)
),
others as (
  select
    f.*,
    coalesce(a.size, 0) - coalesce(b.size, 0) - coalesce(c.size, 0) + coalesce(d.size, 0) as size,
    coalesce(a.cash_usd, 0) - coalesce(b.cash_usd, 0) - coalesce(c.cash_usd, 0) + coalesce(d.cash_usd, 0) as cash_usd
  from fills f
  asof left join core.cumulative_trades a
    on a.market_index = f.market_index and a.outcome = f.book and a.ts <= f.ts + interval 25 hours
  asof left join core.cumulative_trades b
    on b.market_index = f.market_index and b.outcome = f.book and b.ts < f.ts + interval 23 hours
  asof left join own c
    on c.trader_index = f.trader_index and c.market_index = f.market_index and c.outcome = f.book
    and c.ts <= f.ts + interval 25 hours
  asof left join own d
    on d.trader_index = f.trader_index and d.market_index = f.market_index and d.outcome = f.book
    and d.ts < f.ts + interval 23 hours
),
priced as (
  select trader_index, ts, seq, market_index, outcome, size, case when is_mirrored then size - cash_usd else cash_usd end as cash_usd
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
    p.ts + interval 23 hours as opens_at,
    -- From the resolution on, the book shows the payout.
    least(p.ts + interval 24 hours, m.resolved_at - interval 1 microsecond) as quoted_at
  from priced p
  join core.ledger_markets n on n.market_index = p.market_index
  join core.markets m on m.market_id = n.market_id
  where p.cash_usd < 100
),
quoted as (
  select t.trader_index, t.ts, t.seq, case when t.outcome = 0 then q.mid when t.n_outcomes = 2 then 1 - q.mid end as mid
  from thin t
  asof join core.odds q on q.market_id = t.market_id and q.ts <= t.quoted_at
  asof left join observed o on o.venue = t.venue and o.ts <= t.quoted_at
  where q.ts >= t.opens_at or o.ts >= t.opens_at
)
select p.*, q.mid
from priced p
left join quoted q on q.trader_index = p.trader_index and q.ts = p.ts and q.seq = p.seq
-- Last: after a filter by the clock, DuckDB underestimates the fills and compares each with the whole tape.
where p.ts + interval 25 hours <= (select as_of from core.clock)
