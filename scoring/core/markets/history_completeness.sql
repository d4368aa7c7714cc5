-- Whether all of a trader's history is known, and the reason if not. Only complete histories are ranked. Splits, merges
-- and conversions are known only after the account's own activity was read. The venue's feed does not show the index
-- set of a conversion, and traders with an unknown one are incomplete; the dollars of that conversion are not
-- untracked. Cash from markets without a description is not untracked either: the purchases are stored, and count once
-- the market is described. `n_undescribed` counts those fills and positions. `venue` is the first venue with a reason,
-- else the first venue. A source that has all accounts, proved from the start of a venue on, has each history that ends
-- inside its interval. Of a trader with several addresses (`core.trader_addresses`), each must be complete.
-- `reason` says `reason_code` in words: `conversion`, `undescribed`, `untracked`, `cut_off`, `unavailable`, `unread`.
-- columns: trader; venue, is_complete, reason_code?, reason?, untracked_usd, n_undescribed
with traded as (
  select trader, venue, max(ts) as last_at
  from (
    select trader, venue, ts from staging.fills
    union all
    select trader, venue, ts from staging.activity
  )
  group by trader, venue
),
pulled_accounts as (
  select key as trader, part as venue, bool_and(is_proved) as is_proved
  from staging.coverage_intervals
  where dataset = 'activity' and key <> ''
  group by key, part
),
pulled as (
  select trader, venue, bool_or(is_proved) as is_proved
  from (
    select trader, venue, is_proved from pulled_accounts
    union all
    select t.trader, t.venue, true
    from traded t
    semi join staging.coverage_intervals s
      on s.dataset = 'activity' and s.key = '' and s.part = t.venue and s.is_proved
      and s.from_at <= timestamp '1970-01-01' and t.last_at < s.to_at
  )
  group by trader, venue
),
-- Accounts that were read and had no activity, then or later.
idle as (
  select key as trader, part as venue
  from lake.coverage c
  semi join pulled p on p.trader = c.key and p.venue = c.part
  where c.dataset in ('activity', 'fills')
  group by key, part
  having sum(n_rows) = 0
),
unavailable as (
  select key as trader, part as venue
  from lake.coverage
  where dataset = 'activity' and state = 'unavailable'
  group by key, part
),
-- A requested account is read on each venue. A venue where it never traded does not count, unless it traded nowhere:
-- its history is then empty, or not served by any venue. Nor does an owner count whose wallets traded.
seen as (
  select trader, venue from traded
  union
  select i.trader, i.venue
  from idle i
  anti join core.trader_addresses a on a.wallet = i.trader
  union
  select u.trader, u.venue
  from unavailable u
  anti join core.trader_addresses a on a.wallet = u.trader
  where u.trader not in (select trader from idle)
),
people as (
  select s.trader as address, coalesce(a.trader, s.trader) as trader, s.venue
  from seen s
  left join core.trader_addresses a on a.wallet = s.trader
  where not exists (from staging.system_addresses x where x.address = s.trader)
),
undescribed as (
  select trader, sum(n) as n_undescribed
  from (
    select a.trader, count(*) as n
    from staging.fills f
    join core.trader_addresses a on a.wallet = f.trader
    where not exists (from core.outcomes o where o.market_id = f.market_id and o.token_id = f.token_id)
    group by a.trader
    union all
    -- The shares of a migration to an unknown token are in no position.
    select a.trader, count(*) as n
    from staging.activity m
    join core.trader_addresses a on a.wallet = m.trader
    where m.kind = 'migrate' and not exists (from staging.outcome_tokens o where o.token_id = m.token_id)
    group by a.trader
    union all
    select p.trader, count(*) as n
    from core.positions p
    where not exists (from core.markets m where m.market_id = p.market_id)
    group by p.trader
  )
  group by trader
),
ledger as (
  select
    p.trader,
    sum(p.untracked_usd) as untracked_usd,
    bool_and(p.is_complete) as is_complete,
    sum(p.size_untracked) as size_untracked
  from core.positions p
  semi join core.markets m on m.market_id = p.market_id
  group by p.trader
),
conversions as (
  select distinct a.trader
  from staging.activity c
  join core.trader_addresses a on a.wallet = c.trader
  where c.kind = 'convert' and c.index_set is null
),
reasons as (
  select
    p.address,
    p.trader,
    p.venue,
    coalesce(l.untracked_usd, 0) as untracked_usd,
    coalesce(u.n_undescribed, 0) as n_undescribed,
    case
      when c.trader is not null then 'conversion'
      when u.n_undescribed > 0 then 'undescribed'
      when l.size_untracked > 0 or l.untracked_usd > 0 or not l.is_complete then 'untracked'
      when d.trader is not null and not d.is_proved then 'cut_off'
      when a.trader is not null then 'unavailable'
      when d.trader is null then 'unread'
    end as reason_code
  from people p
  left join ledger l on l.trader = p.trader
  left join undescribed u on u.trader = p.trader
  left join pulled d on d.trader = p.address and d.venue = p.venue
  left join unavailable a on a.trader = p.address and a.venue = p.venue
  left join conversions c on c.trader = p.trader
),
-- Of a trader of several venues, the history of each must be complete. The first venue without one gives the reason.
whole as (
  select
    trader,
    coalesce(min(venue) filter (where reason_code is not null), min(venue)) as venue,
    bool_and(reason_code is null) as is_complete,
    arg_min(reason_code, struct_pack(a := venue, b := address)) as reason_code,
    any_value(untracked_usd) as untracked_usd,
    any_value(n_undescribed) as n_undescribed
  from reasons
  group by trader
)
select
  trader,
  venue,
  is_complete,
  reason_code,
  case reason_code
    when 'conversion' then 'converted neg-risk shares, and the venue does not show into what'
    when 'undescribed' then 'traded in markets that are not described yet'
    when 'untracked' then 'sold shares that were never seen bought'
    when 'cut_off' then 'the venue cut the history off, rows of it did not parse, or stored trades contradict it'
    when 'unavailable' then 'the venue does not serve this account''s activity'
    when 'unread' then 'not pulled'
  end as reason,
  untracked_usd,
  n_undescribed
from whole
