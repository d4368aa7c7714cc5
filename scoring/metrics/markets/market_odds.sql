-- The odds and the 24-hour volume of a market, with the method of each. `yes_price` is the first available of: the
-- payout (resolved); the middle of the book with a spread of at most 0.10 (open, and observed within the hour or since
-- the last trade); the last trade of 24 hours; the venue's own figure. The last two lie within that book, where an
-- empty side is 0 or 1 and a crossed book does not count. Where both lie outside, it is the `bid` or `ask` that they
-- passed. Without any of these the price is null (`none`).
--
-- `volume_24h_usd` is the cash of the fills of the last 24 hours, each match once, if the market's own history and the
-- venue's feed together cover that day without a gap (`fills`). Otherwise it is the venue's figure (`venue`), or the
-- stored fills of a venue without one. Block trades are volume and no price.
-- columns: market_id; yes_price?, yes_method, yes_at?, volume_24h_usd, volume_method
with
-- Quotes are one row a change: the last observation, not the last row, determines their age.
observed as (
  select part as venue, max(from_at) as observed_at
  from lake.coverage
  where dataset = 'quotes' and state <> 'missing' and from_at <= (select as_of from core.clock)
  group by part
),
reported as (
  select market_id, arg_max(payouts, ts)[1] as payout
  from staging.reported_resolutions
  group by market_id
),
book as (
  select
    market_id,
    arg_max(struct_pack(bid := bid, ask := ask, mid := mid, seen_at := ts), ts) as seen,
    (arg_max(struct_pack(price := shown), ts) filter (where not is_pushed)).price as venue_price
  from core.odds
  group by market_id
),
recent as (
  select
    t.market_id,
    sum(coalesce(t.cash_usd, (t.size::decimal(24, 6) * t.price)::decimal(38, 6))) as volume_usd,
    arg_max(
      case when o.outcome = 0 then t.price else 1 - t.price end,
      struct_pack(a := t.ts, b := t.tx, c := t.seq, d := t.price, e := t.size)
    ) filter (t.role = 'taker') as price,
    max(t.ts) filter (t.role = 'taker') as ts
  from staging.tape t
  join core.outcomes o on o.market_id = t.market_id and o.token_id = t.token_id
  where t.role in ('taker', 'block') and t.ts > (select as_of - interval 24 hours from core.clock)
  group by t.market_id
),
-- The period of a market's volume: from its creation, if that was within the day, to an hour ago.
days as (
  select
    m.market_id,
    m.venue,
    substr(m.market_id, length(m.venue) + 2) as key,
    greatest(coalesce(m.created_at, timestamp '1970-01-01'), c.as_of - interval 24 hours) as from_at,
    c.as_of - interval 1 hour as to_at
  from core.market_states m
  cross join core.clock c
),
-- The coverage intervals of the market and of its venue's feed that overlap that period.
proved as (
  select s.*
  from staging.coverage_intervals s
  cross join core.clock c
  where s.dataset = 'fills' and s.is_proved and s.to_at >= c.as_of - interval 24 hours
),
pieces as (
  select d.market_id, d.from_at as day_from, d.to_at as day_to, p.from_at, p.to_at
  from days d
  join proved p on p.part = d.venue and p.key = d.key
  union all
  select d.market_id, d.from_at, d.to_at, p.from_at, p.to_at
  from days d
  join proved p on p.part = d.venue and p.key = ''
),
joined as (
  select
    *,
    -- Gaps before the day do not count.
    from_at > day_from and from_at > max(to_at) over (
      partition by market_id order by from_at, to_at rows between unbounded preceding and 1 preceding
    ) as is_after_gap
  from pieces
  where to_at >= least(day_from, day_to) and from_at <= greatest(day_from, day_to)
),
covered as (
  select market_id
  from joined
  group by market_id
  having min(from_at) <= any_value(day_from) and max(to_at) >= any_value(day_to) and not coalesce(bool_or(is_after_gap), false)
),
-- A venue may leave out the figure of a market without a trade (`core.venues`). Pushed quotes have none at all.
said as (
  select
    q.market_id,
    (
      arg_max(
        struct_pack(
          usd := case when v.is_zero_omitted then coalesce(q.volume_24h_usd, 0) else q.volume_24h_usd end
        ),
        q.ts
      ) filter (where (q.source = v.book_source) is not true)
    ).usd as volume_usd,
    max(greatest(q.ts, o.observed_at)) as observed_at
  from staging.quotes q
  left join observed o on o.venue = q.venue
  left join core.venues v on v.venue = q.venue
  where q.period_s = 0
  group by q.market_id
),
known as (
  select
    m.market_id,
    m.reported_at,
    p.payout,
    b.seen,
    b.venue_price,
    m.is_open and b.seen is not null
      and (s.observed_at >= r.ts is not false or s.observed_at > c.as_of - interval 1 hour) as has_book,
    case when has_book and b.seen.bid > b.seen.ask is not true then coalesce(b.seen.bid, 0) else 0 end as lowest,
    case when has_book and b.seen.bid > b.seen.ask is not true then coalesce(b.seen.ask, 1) else 1 end as highest,
    r.price as last_trade,
    r.ts as last_trade_at,
    coalesce(r.volume_usd, 0) as fills_usd,
    s.volume_usd as venue_usd,
    case
      when v.market_id is null and s.volume_usd is not null and s.observed_at > c.as_of - interval 24 hours then 'venue'
      else 'fills'
    end as volume_method
  from core.market_states m
  cross join core.clock c
  left join reported p on p.market_id = m.market_id
  left join book b on b.market_id = m.market_id
  left join recent r on r.market_id = m.market_id
  left join covered v on v.market_id = m.market_id
  left join said s on s.market_id = m.market_id
),
methods as (
  select
    *,
    case
      when payout is not null then 'payout'
      when has_book and seen.mid is not null then 'mid'
      when last_trade between lowest and highest then 'last_trade'
      when venue_price between lowest and highest then 'venue'
      when coalesce(last_trade, venue_price) < lowest then 'bid'
      when coalesce(last_trade, venue_price) > highest then 'ask'
      else 'none'
    end as yes_method
  from known
)
select
  market_id,
  case yes_method
    when 'payout' then payout
    when 'mid' then seen.mid
    when 'last_trade' then last_trade
    when 'venue' then venue_price
    when 'bid' then lowest
    when 'ask' then highest
  end as yes_price,
  yes_method,
  case yes_method
    when 'payout' then reported_at
    when 'last_trade' then last_trade_at
    when 'none' then null
    else seen.seen_at
  end as yes_at,
  case volume_method when 'venue' then venue_usd else fills_usd end as volume_24h_usd,
  volume_method
from methods
