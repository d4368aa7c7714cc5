-- A trader's side of a match, once, for the ledgers. If the account's own history was read, it counts, because it has
-- the actual cash; otherwise the histories of the markets count. System addresses and combos are excluded, and so are
-- fills of anonymous venues, whose trader is empty. A row of a chain has the market of its token.
-- ordered: no
-- columns: venue, token_id, ts, tx, trader, side, price, size, seq; market_id?, role?, cash_usd?, fee_usd?, source
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
higher as (
  select part, key, market_id, from_at, to_at, precedence
  from stretches
  where precedence > (select min(precedence) from precedences)
),
-- A venue may list takers only. After an account's last reading, its sales could be known without its purchases.
higher_accounts as (
  select h.part, h.key, h.from_at, case when v.is_takers_only then timestamp '9999-01-01' else h.to_at end as to_at, h.precedence
  from higher h
  left join core.venues v on v.venue = h.part
),
-- Read again by each branch below: the rows of a source are in files of its own, which a branch of others skips.
known as not materialized (
  select f.*, p.precedence, p.is_whole, p.is_keyed
  from lake.fills f
  join precedences p on p.source = f.source
  left join core.venues v on v.venue = f.venue
  anti join staging.system_addresses s on s.address = f.trader
  where f.ts <= (select as_of from core.clock)
    -- The empty trader of an anonymous venue is no account.
    and f.trader <> ''
    and (starts_with(f.market_id, v.combo_prefix) and length(f.market_id) = v.combo_length) is not true
),
-- A row counts if its unit's coverage includes it: a row whose process died before the coverage was stored counts after
-- the next reading. All units of a source have one kind: coverage is by trader, by market, or one interval for all.
covered as (
  select k.*
  from known k
  semi join stretches s
    on s.source = k.source and s.part = k.venue and s.key = k.trader and k.ts >= s.from_at and k.ts < s.to_at
  where k.is_keyed
  union all
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
  select c.* replace (t.market_id as market_id)
  from covered c
  left join staging.outcome_tokens t on t.token_id = c.token_id
  where c.market_id is null
)
select
  c.venue, c.token_id, c.ts, c.tx, c.trader, c.side, c.price, c.size, c.seq, c.market_id, c.role, c.cash_usd, c.fee_usd,
  c.source
from named c
anti join higher_accounts h
  on h.part = c.venue and h.key = c.trader and h.precedence > c.precedence and c.ts >= h.from_at and c.ts < h.to_at
anti join higher m
  on m.market_id = c.market_id and m.precedence > c.precedence and c.ts >= m.from_at and c.ts < m.to_at
anti join higher w
  on w.part = c.venue and w.key = '' and w.precedence > c.precedence and c.ts >= w.from_at and c.ts < w.to_at
