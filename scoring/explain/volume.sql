-- The volume of a market by UTC day and outcome, each match once, by its taker: `from core.volume('polymarket:0x…')`.
-- An id counts in any case. `n_blocks` and `block_usd` are the trades that were agreed off the book; the
-- other columns exclude them. Fills of the venue's own contracts are excluded. An unknown market has no rows. Of an
-- anonymous venue it has the last 24 hours.
-- parameter: market
-- columns: day, outcome, label, n_matches, size, volume_usd, n_blocks, block_usd
with
asked as (
  select coalesce(v.venue || case v.id_case when 'upper' then upper(a.native) else lower(a.native) end, a.said) as market_id
  from (select market as said, substr(said, strpos(said, ':')) as native) a
  left join core.venues v on starts_with(lower(a.said), v.venue || ':')
),
trades as (
  select
    t.ts::date as day,
    o.outcome,
    o.label,
    t.role = 'block' as is_block,
    t.size,
    coalesce(t.cash_usd, (t.size::decimal(24, 6) * t.price)::decimal(38, 6)) as cash_usd
  from staging.tape t
  join core.outcomes o on o.market_id = t.market_id and o.token_id = t.token_id
  where t.market_id = (from asked)
    and t.role in ('taker', 'block')
    and not exists (from staging.system_addresses s where s.address = t.trader)
)
select
  t.day,
  t.outcome,
  t.label,
  count(*) filter (not t.is_block) as n_matches,
  coalesce(sum(t.size) filter (not t.is_block), 0) as size,
  coalesce(sum(t.cash_usd) filter (not t.is_block), 0) as volume_usd,
  count(*) filter (t.is_block) as n_blocks,
  coalesce(sum(t.cash_usd) filter (t.is_block), 0) as block_usd
from trades t
group by t.day, t.outcome, t.label
order by t.day, t.outcome
