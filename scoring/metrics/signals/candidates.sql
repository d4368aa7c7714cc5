-- The events that may be signals at the clock, published or not.
--
--   p            the chance of the event under its rule: `trade_candidates` and `swap_candidates` (type wallet,
--                direction entry or exit), `move_candidates` (type market, direction up or down) and `burst_candidates`
--                (type social, direction burst). Of several events of an entity and direction the least likely one
--                counts. Trades on chains and bursts come from the last scores, at most an hour old
--   q            the false discovery rate by Benjamini and Hochberg among all events that were tested at the clock
--   information  -log10 p, at most 20
--   score        round(100 confidence (1 - exp(-information / 5)))
--   type signal  two or more types on one asset within 6 hours, published or found now: Fisher's p, the upper tail of
--                chi squared with 2 k degrees of freedom at 2 ln 10 x the sum of the information. Its confidence is the
--                least. A signal of a market, or of a trade in it, counts for each asset of the market's question
--   is_published q <= 0.01, and no published signal of the type, entity and direction within 24 hours has more than
--                half the information.
-- columns: type, entity, direction; symbol?, ts, p DOUBLE, q DOUBLE, information DOUBLE, confidence DOUBLE, score SMALLINT,
-- is_published, market_id?, chain?, label?, question?, usd?, price?, before_price? DECIMAL(9,6), n_authors?,
-- expected? DOUBLE, archetype?,
-- evidence STRUCT(kind VARCHAR, ref VARCHAR, ts TIMESTAMP, "value" DOUBLE)[]
with events as (
  select
    'wallet' as type,
    t.trader as entity,
    case t.side when 'buy' then 'entry' else 'exit' end as direction,
    m.symbols,
    t.ts,
    t.p,
    s.confidence::double as confidence,
    t.market_id,
    o.label,
    k.question,
    t.usd,
    t.price,
    s.archetype,
    [
      struct_pack(kind := 'transaction', ref := t.tx, ts := t.ts, value := t.usd::double),
      struct_pack(kind := 'market', ref := t.market_id, ts := t.ts, value := t.price::double),
      struct_pack(kind := 'outcome', ref := o.token_id, ts := t.ts, value := t.price::double)
    ] as evidence
  from metrics.trade_candidates t
  join metrics.signal_traders s on s.trader = t.trader
  join core.outcomes o on o.market_id = t.market_id and o.outcome = t.outcome
  join core.market_states k on k.market_id = t.market_id
  left join metrics.signal_markets m on m.market_id = t.market_id
  union all by name
  select
    'wallet' as type,
    wallet as entity,
    direction,
    [symbol] as symbols,
    ts,
    p,
    confidence::double as confidence,
    chain,
    label,
    usd,
    archetype,
    [
      struct_pack(kind := 'transaction', ref := tx, ts := ts, value := usd::double),
      struct_pack(kind := 'token', ref := chain || ':' || token, ts := ts, value := usd::double)
    ] as evidence
  from metrics.swap_candidates
  where ts > (select as_of - interval 1 hour from core.clock)
  union all by name
  select
    'market' as type,
    v.market_id as entity,
    case when v.t > 0 then 'up' else 'down' end as direction,
    m.symbols,
    v.ts,
    v.p,
    1 as confidence,
    v.market_id,
    m.question,
    v.hour_usd as usd,
    v.price,
    v.before_price,
    [struct_pack(kind := 'market', ref := v.market_id, ts := v.ts, value := v.price::double)] as evidence
  from metrics.move_candidates v
  join metrics.signal_markets m on m.market_id = v.market_id
  union all by name
  select
    'social' as type,
    symbol as entity,
    'burst' as direction,
    [symbol] as symbols,
    ts,
    p,
    confidence::double as confidence,
    n_authors,
    expected,
    evidence
  from metrics.burst_candidates
  where ts > (select as_of - interval 1 hour from core.clock)
),
counted as (
  select count(*) as n_tested
  from events
),
-- Most events have p = 1. They count, and cannot be unlikely, so they need no order.
ranked as (
  select
    *,
    p * (from counted) / row_number() over (order by p, type, entity, direction, ts, evidence[1].ref) as raised
  from events
  where p < 1
),
tested as (
  select
    *,
    least(
      1,
      min(raised) over (
        order by p, type, entity, direction, ts, evidence[1].ref rows between current row and unbounded following
      )
    ) as q,
    least(20, -log10(greatest(p, 1e-300))) as information
  from ranked
),
-- The least likely event of each entity and direction.
single as (
  select *
  from tested
  qualify row_number() over (partition by type, entity, direction order by p, ts, evidence[1].ref) = 1
),
recent as (
  select
    f.type,
    f.entity,
    f.direction,
    f.symbol,
    f.information,
    f.confidence,
    f.published_at as ts,
    f.id,
    if(f.type = 'wallet', f.evidence ->> '$[1].ref', f.entity) as subject
  from lake.feed f
  cross join core.clock c
  where f.tick_at <= c.as_of and f.tick_at > c.as_of - interval 24 hours
),
found as (
  select
    s.*,
    s.q <= 0.01 and not exists (
      from recent r
      where r.type = s.type and r.entity = s.entity and r.direction = s.direction and s.information < 2 * r.information
    ) as is_published
  from single s
),
-- One event of each type on an asset within 6 hours, the most informative one.
parts as (
  select type, unnest(symbols) as symbol, information, confidence, ts, evidence[1].ref as ref
  from found
  where is_published
  union all
  select r.type, unnest(coalesce(m.symbols, [r.symbol])), r.information, r.confidence, r.ts, r.id
  from recent r
  cross join core.clock c
  left join metrics.signal_markets m on m.market_id = r.subject
  where r.type <> 'signal' and r.ts > c.as_of - interval 6 hours
),
best as (
  select *
  from parts
  where symbol is not null
  qualify row_number() over (partition by type, symbol order by information desc, ts, ref) = 1
),
joined as (
  select
    symbol,
    max(ts) as ts,
    count(*) as k,
    -- The half of Fisher's statistic.
    ln(10) * sum(information::decimal(18, 9))::double as x,
    min(confidence::double) as confidence,
    list(struct_pack(kind := type, ref := ref, ts := ts, value := information) order by type) as evidence
  from best
  group by symbol
  having count(*) >= 2
),
fisher as (
  select
    *,
    least(20, x / ln(10) - log10(1 + x + case when k > 2 then x * x / 2 else 0 end)) as information
  from joined
),
together as (
  select
    'signal' as type,
    f.symbol as entity,
    'together' as direction,
    f.symbol,
    f.ts,
    power(10, -f.information) as p,
    power(10, -f.information) as q,
    f.information,
    f.confidence,
    f.information >= 2 and not exists (
      from recent r
      where r.type = 'signal' and r.entity = f.symbol and f.information < 2 * r.information
    ) as is_published,
    f.evidence
  from fisher f
),
every_one as (
  select
    type, entity, direction, symbols[1] as symbol, ts, p, q, information, confidence, is_published, market_id, chain, label,
    question, usd, price, before_price, n_authors, expected, archetype, evidence
  from found
  union all by name
  from together
)
select
  type,
  entity,
  direction,
  symbol,
  ts,
  p,
  q,
  information,
  confidence,
  round(100 * confidence * (1 - exp(-information / 5))) as score,
  is_published,
  market_id,
  chain,
  label,
  question,
  usd,
  price,
  before_price,
  n_authors,
  expected,
  archetype,
  evidence
from every_one
