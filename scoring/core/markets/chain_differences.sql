-- A fill or move that a chain and the API of its venue state differently, for accounts and times that both cover. Rows
-- are compared in sums: fills by trader, transaction, token and side, moves by trader, transaction, kind and market. The
-- API shows neither transfers nor migrations, so they are not compared, and of a conversion only that it took place.
--
--   dust     the API leaves out fills of less than 0.01 shares
--   no_api   the chain has a row that the API lacks
--   no_chain the API has a row that the chain lacks
--   size     the shares differ by more than 0.00001
--   cash     the cash, before fees, differs by a cent or more
--
-- The sources agree if the table is empty but for `dust`.
-- columns: trader, tx, fact, place; ts, venue, kind, size_chain?, size_api?, cash_chain_usd?, cash_api_usd?
with stretches as (
  select dataset, part as venue, key as trader, source, from_at, to_at, precedence
  from staging.coverage_intervals
  where dataset in ('fills', 'activity')
),
-- The times in which a source that has all accounts replaces one that has a single account.
both_read as (
  select
    w.dataset,
    w.venue,
    a.trader,
    w.source as chain_source,
    a.source as api_source,
    greatest(w.from_at, a.from_at) as from_at,
    least(w.to_at, a.to_at) as to_at
  from stretches w
  join stretches a on a.dataset = w.dataset and a.venue = w.venue and a.precedence < w.precedence
  where w.trader = '' and a.trader <> '' and w.from_at < a.to_at and a.from_at < w.to_at
    and w.source in (select distinct source from lake.blocks)
),
-- Each source once, whatever the intervals of the other one.
read_by as (
  select distinct dataset, venue, trader, chain_source as source, true as is_chain, from_at, to_at
  from both_read
  union all
  select distinct dataset, venue, trader, api_source, false, from_at, to_at
  from both_read
),
facts as (
  select
    f.venue, f.trader, f.tx, f.side as fact, f.token_id as place, f.ts, r.is_chain, f.size,
    coalesce(f.cash_usd, (f.size::decimal(24, 6) * f.price)::decimal(38, 6)) as cash_usd
  from lake.fills f
  join read_by r
    on r.dataset = 'fills' and r.source = f.source and r.venue = f.venue and r.trader = f.trader
    and f.ts >= r.from_at and f.ts < r.to_at
  where f.ts <= (select as_of from core.clock)
  union all
  select
    a.venue, a.trader, a.tx, a.kind, case when a.kind = 'convert' then '' else a.market_id end, a.ts, r.is_chain,
    case when a.kind in ('split', 'merge') then a.size else 0 end,
    case when a.kind = 'redeem' then a.cash_usd else 0 end
  from lake.activity a
  join read_by r
    on r.dataset = 'activity' and r.source = a.source and r.venue = a.venue and r.trader = a.trader
    and a.ts >= r.from_at and a.ts < r.to_at
  where a.kind in ('split', 'merge', 'redeem', 'convert') and a.ts <= (select as_of from core.clock)
),
sums as (
  select
    venue,
    trader,
    tx,
    fact,
    place,
    min(ts) as ts,
    sum(size) filter (is_chain) as size_chain,
    sum(size) filter (not is_chain) as size_api,
    sum(cash_usd) filter (is_chain) as cash_chain_usd,
    sum(cash_usd) filter (not is_chain) as cash_api_usd
  from facts
  group by venue, trader, tx, fact, place
),
judged as (
  select
    *,
    case
      when size_api is null and fact in ('buy', 'sell') and size_chain < 0.01 then 'dust'
      when size_api is null then 'no_api'
      when size_chain is null then 'no_chain'
      when abs(size_chain - size_api) > 0.00001 then 'size'
      when abs(coalesce(cash_chain_usd, 0) - coalesce(cash_api_usd, 0)) >= 0.01 then 'cash'
    end as kind
  from sums
)
select trader, tx, fact, place, ts, venue, kind, size_chain, size_api, cash_chain_usd, cash_api_usd
from judged
where kind is not null
