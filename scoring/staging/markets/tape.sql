-- The tape of the markets: each fill once, with the role of its side. The market's own history counts; without it, the
-- venue's feed counts. A match counts once, by its taker. A block trade was agreed off the book; its role is `block`,
-- which is volume and no price. The tape is the input of prices, volumes and closes; a trader's ledger uses
-- `staging.fills`. Of an anonymous venue it has the last 24 hours, since no closes are needed.
-- ordered: no
-- columns: venue, token_id, ts, tx, trader, side, price, size, seq; market_id?, role, cash_usd?, fee_usd?, source
with stretches as (
  select *, part || ':' || key as market_id
  from staging.coverage_intervals
  where dataset = 'fills'
),
precedences as (
  select source, max(precedence) as precedence, bool_or(key = '') as is_whole, bool_or(key <> '') as is_keyed
  from stretches
  group by source
),
-- Read again by each branch below: the rows of a source are in files of its own, which a branch of others skips.
known as not materialized (
  select f.*, p.precedence, p.is_whole, p.is_keyed
  from lake.fills f
  join precedences p on p.source = f.source
  left join core.venues v on v.venue = f.venue
  where f.ts <= (select as_of from core.clock)
    -- Histories of accounts do not identify the maker.
    and f.role is not null
    and (v.is_anonymous is not true or f.ts > (select as_of - interval 24 hours from core.clock))
    -- Combos of several markets have a separate ledger.
    and (starts_with(f.market_id, v.combo_prefix) and length(f.market_id) = v.combo_length) is not true
),
-- A row counts if the coverage of its market, or of a feed, includes it.
covered as (
  select k.*
  from known k
  semi join stretches s
    on s.source = k.source and s.key <> '' and s.market_id = k.market_id and k.ts >= s.from_at and k.ts < s.to_at
  where k.is_keyed
  union all
  select k.*
  from known k
  semi join stretches s
    on s.source = k.source and s.part = k.venue and s.key = '' and k.ts >= s.from_at and k.ts < s.to_at
  where k.is_whole
),
named as (
  select *
  from covered
  where market_id is not null
  union all
  -- A row of a chain has the market of its token.
  select c.* replace (t.market_id as market_id)
  from covered c
  left join staging.outcome_tokens t on t.token_id = c.token_id
  where c.market_id is null
),
higher as (
  select part, key, market_id, from_at, to_at, precedence
  from stretches
  where precedence > (select min(precedence) from precedences)
)
select
  c.venue, c.token_id, c.ts, c.tx, c.trader, c.side, c.price, c.size, c.seq, c.market_id, c.role, c.cash_usd, c.fee_usd,
  c.source
from named c
anti join higher m
  on m.market_id = c.market_id and m.precedence > c.precedence and c.ts >= m.from_at and c.ts < m.to_at
-- A venue may have a second feed of lower precedence, such as pushed rows until they are read.
anti join higher w
  on w.part = c.venue and w.key = '' and w.precedence > c.precedence and c.ts >= w.from_at and c.ts < w.to_at
