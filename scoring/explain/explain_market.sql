-- Explains the numbers of a market: `from core.explain_market('polymarket:0x…')`, with the id of `/v1/pm-markets`, in
-- any case. An unknown id has no rows. All parts are as of the clock, except descriptions, which are
-- listed with the time of observation. `marts.pm_markets` is of the last pulse, which is later than the clock.
--
--   market       the question as served, and whether the market takes orders; place is the event
--   description  a field (place) as its source described it at first and with each change, and when that was seen
--   outcome      the payout of a share, once it is known
--   resolution   each reported payout vector; the last one counts
--   odds         yes_price and volume_24h with their methods (`metrics.market_odds`), and their inputs: the last change
--                of the book, with its mid as usd, and the last trade; usd are US dollars a share
--   volume       the trades of an outcome in the last 24 hours, each match once, block trades included
--   close        the close of an outcome (`core.closes`): amount and usd are the trades in its window; their ratio is
--                the price, before a trader's own part is subtracted
--   fill         the fills of an outcome, by role: a match has a taker and at least one maker
--   position     the 20 positions with the largest cash paid in: amount is the shares held, usd their cost (from the
--                resolution on their payout), pnl_usd the realized result
--
-- If volume_24h has the method `fills`, the usd of volume add up to it. `place` is an outcome's label unless stated
-- otherwise. `amount` is shares of an outcome. `ref` is the transaction of a resolution or the last trade, the source
-- of a description, the token of an outcome, or the trader of a position.
-- parameter: id
-- columns: part, place, ts?, what, amount? DECIMAL(38,6), usd?, pnl_usd?, ref?
with
asked as (
  select coalesce(v.venue || case v.id_case when 'upper' then upper(a.native) else lower(a.native) end, a.said) as market_id
  from (select id as said, substr(said, strpos(said, ':')) as native) a
  left join core.venues v on starts_with(lower(a.said), v.venue || ':')
),
outcomes as (
  select o.*
  from core.outcomes o
  where o.market_id = (from asked)
),
descriptions as (
  select m.seen_at, m.source, columns(m.* exclude (market_id, seen_at, source))::varchar
  from lake.markets m
  where m.market_id = (from asked)
),
changes as (
  select
    d.*,
    lag(d.said) over since_first as said_before,
    row_number() over since_first = 1 as is_first
  from (from descriptions unpivot include nulls (said for field in (columns(* exclude (seen_at, source))))) d
  window since_first as (partition by d.source, d.field order by d.seen_at)
),
matches as (
  select
    o.outcome,
    o.label,
    t.ts,
    t.tx,
    t.seq,
    t.price,
    t.size,
    t.role,
    coalesce(t.cash_usd, (t.size::decimal(24, 6) * t.price)::decimal(38, 6)) as usd
  from staging.tape t
  join outcomes o on o.token_id = t.token_id
  where t.market_id = (from asked) and t.role in ('taker', 'block')
),
stated as (
  select
    0 as step, 'market' as part, m.event_id as place, c.as_of as ts,
    case when m.is_open then 'open: ' else 'closed: ' end || m.question as what, null as amount, null as usd, null as pnl_usd,
    null as ref, 0 as nth
  from core.markets m
  cross join core.clock c
  where m.market_id = (from asked)
  union all
  select
    1, 'description', h.field, h.seen_at,
    case when h.is_first then h.said else coalesce(h.said, 'not said') || ', before: ' || coalesce(h.said_before, 'not said') end,
    null, null, null, h.source, 0
  from changes h
  where h.said is distinct from h.said_before
  union all
  select 2, 'outcome', o.label, m.resolved_at, 'outcome ' || o.outcome, null, o.payout, null, o.token_id, o.outcome
  from outcomes o
  join core.markets m on m.market_id = (from asked)
  union all
  select 3, 'resolution', r.source, r.ts, r.status || ': ' || r.payouts::varchar, null, null, null, r.tx, 0
  from staging.resolutions r
  where r.market_id = (from asked)
  union all
  select 4, 'odds', 'yes_price', d.yes_at, d.yes_method, null, d.yes_price, null, null, 0
  from metrics.market_odds d
  where d.market_id = (from asked)
  union all
  select 4, 'odds', 'volume_24h', c.as_of, d.volume_method, null, d.volume_24h_usd, null, null, 1
  from metrics.market_odds d
  cross join core.clock c
  where d.market_id = (from asked)
  union all
  (
    select
      4, 'odds', 'book', b.ts,
      'bid ' || coalesce(b.bid::varchar, 'none') || ', ask ' || coalesce(b.ask::varchar, 'none') || ', the venue''s last '
        || coalesce(b."last"::varchar, 'none') || ', shown ' || coalesce(b.shown::varchar, 'none'),
      null, b.mid, null, null, 2
    from core.odds b
    where b.market_id = (from asked)
    order by b.ts desc
    limit 1
  )
  union all
  (
    select 4, 'odds', 'last trade', t.ts, t.label || ' at ' || t.price, t.size, t.usd, null, t.tx, 3
    from matches t
    where t.role = 'taker'
    order by t.ts desc, t.tx desc, t.seq desc, t.price desc, t.size desc
    limit 1
  )
  union all
  select 5, 'volume', t.label, c.as_of, 'matches: ' || count(*), sum(t.size), sum(t.usd), null, null, t.outcome
  from matches t
  join core.clock c on t.ts > c.as_of - interval 24 hours
  group by t.label, t.outcome, c.as_of
  union all
  select
    6, 'close', o.label, k.close_at,
    coalesce(nullif(k.starts_by, ''), 'a start') || ', matches: ' || k.n_fills || ' since ' || k.opens_at
      || coalesce(', mid ' || k.mid, '') || case when k.is_hindsight then ', not announced beforehand' else '' end,
    k.size, k.cash_usd, null, null, o.outcome
  from core.closes k
  join outcomes o on o.outcome = k.outcome
  where k.market_id = (from asked)
  union all
  select
    7, 'fill', o.label, max(f.ts), coalesce('as ' || f.role, 'role unknown') || ', fills: ' || count(*), sum(f.size),
    sum(f.cash_usd), null, null, o.outcome
  from core.fills f
  join outcomes o on o.outcome = f.outcome
  where f.market_id = (from asked)
  group by o.label, o.outcome, f.role
  union all
  (
    select
      8, 'position', o.label, p.last_at, 'paid in ' || p.bought_usd || case when p.is_complete then '' else ', incomplete' end,
      p.size, p.cost_usd, p.realized_usd, p.trader,
      row_number() over (order by p.bought_usd desc, p.trader, p.outcome) as place_by_size
    from core.positions p
    join outcomes o on o.outcome = p.outcome
    where p.market_id = (from asked)
    qualify place_by_size <= 20
  )
)
select
  part,
  place,
  ts,
  what,
  amount::decimal(38, 6) as amount,
  usd::decimal(38, 6) as usd,
  pnl_usd::decimal(38, 6) as pnl_usd,
  ref
from stated
order by step, nth, ts, place, what, amount, usd, pnl_usd, ref
