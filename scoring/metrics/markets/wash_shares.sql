-- The volume of a trader that was matched with itself, or with one partner. Both sides of a match are known where the
-- tape has the maker and the only taker of its transaction. `partner` is the trader with the largest matched volume,
-- among the partners that look like a wash if there are any. Volumes are prices x sizes of the trader's own token.
--
-- `is_wash_like`: at least a fifth of the volume was matched with itself, or in at least three matches with a partner.
-- Then it is at least a fifth of the volume of both, and half of the volume of one of them: both wallets of a pair are
-- found, also if one of them trades more with others. One large match is no habit. A market maker has many partners; a
-- customer who trades with one market maker is a small part of its volume.
-- columns: trader; volume_usd, self_usd, self_share, partner?, partner_usd, partner_share, is_wash_like
with names as (
  select distinct trader as address
  from staging.tape
  where trader <> '' and role in ('maker', 'taker') and size > 0
),
-- Numbers in the order of the names: grouping and joining by long names takes a fourth longer. Addresses of one trader
-- have one number.
addresses as (
  select n.address, coalesce(a.trader, n.address) as name, dense_rank() over (order by coalesce(a.trader, n.address)) as trader
  from names n
  left join core.trader_addresses a on a.wallet = n.address
),
numbered as (
  select distinct name, trader
  from addresses
),
sides as (
  select
    -- The number of the market and the transaction of an instant, in place of two long names.
    hash(t.market_id, t.tx) as match,
    t.ts,
    n.trader,
    t.role = 'taker' as is_taker,
    sum(t.size::decimal(18, 6)) as size,
    sum(coalesce(t.cash_usd, (t.size::decimal(24, 6) * t.price)::decimal(38, 6))::decimal(18, 6)) as usd
  from staging.tape t
  join addresses n on n.address = t.trader
  where t.trader <> '' and t.role in ('maker', 'taker') and t.size > 0
  group by match, t.ts, n.trader, is_taker
),
takers as (
  select match, ts, any_value(trader) as trader, any_value(size) as size, any_value(usd) as usd
  from sides
  where is_taker
  group by match, ts
  having count(*) = 1
),
matches as (
  select
    m.trader as maker,
    t.trader as taker,
    m.usd as made_usd,
    (t.usd::double * least(m.size::double / t.size::double, 1))::decimal(38, 6) as taken_usd
  from sides m
  join takers t on t.match = m.match and t.ts = m.ts
  where not m.is_taker
),
volumes as (
  -- The parts that the comparisons of pairs need, once for a trader: they are arithmetic of 128 bits.
  select trader, sum(usd) as volume_usd, 0.2 * sum(usd) as fifth_usd, 0.5 * sum(usd) as half_usd
  from sides
  group by trader
),
selves as (
  select maker as trader, sum(made_usd + taken_usd) as self_usd
  from matches
  where maker = taker
  group by maker
),
-- Two traders have one row, whichever of them was the maker.
pairs as (
  select
    least(maker, taker) as trader,
    greatest(maker, taker) as partner,
    sum(case when maker < taker then made_usd else taken_usd end) as usd,
    sum(case when maker < taker then taken_usd else made_usd end) as partner_usd,
    count(*) as n_matches
  from matches
  where maker <> taker
  group by all
),
judged as (
  select
    p.*,
    p.n_matches >= 3
      and p.usd >= o.fifth_usd
      and p.partner_usd >= v.fifth_usd
      and (p.usd >= o.half_usd or p.partner_usd >= v.half_usd) as is_wash
  from pairs p
  join volumes o on o.trader = p.trader
  join volumes v on v.trader = p.partner
),
mutual as (
  select trader, partner, usd, is_wash from judged
  union all
  select partner, trader, partner_usd, is_wash from judged
),
partners as (
  select
    trader,
    -- Structs are compared field by field.
    max(struct_pack(is_wash := is_wash, usd := usd, partner := partner)) as best
  from mutual
  group by trader
)
select
  n.name as trader,
  v.volume_usd,
  coalesce(s.self_usd, 0) as self_usd,
  case when v.volume_usd > 0 then least(coalesce(s.self_usd, 0) / v.volume_usd, 1) else 0 end as self_share,
  b.name as partner,
  coalesce(p.best.usd, 0) as partner_usd,
  case when v.volume_usd > 0 then least(coalesce(p.best.usd, 0) / v.volume_usd, 1) else 0 end as partner_share,
  v.volume_usd > 0
    and (coalesce(s.self_usd, 0) >= 0.2 * v.volume_usd or coalesce(p.best.is_wash, false)) as is_wash_like
from volumes v
join numbered n on n.trader = v.trader
left join selves s on s.trader = v.trader
left join partners p on p.trader = v.trader
left join numbered b on b.trader = p.best.partner
