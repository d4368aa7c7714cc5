-- A trader's matches of one instant on the tape of a market, the input of closes. `size` and `cash_usd` are the
-- market's trades, each match once, by its taker. `own_size` and `own_usd` are this trader's part of them, as taker or
-- maker. The price of the other traders in a window is (sum of cash_usd - own) / (sum of size - own).
--
-- A market of two outcomes has one book: a buyer of one outcome at p matches a seller of it at p, or a buyer of the
-- other at 1 - p. All its matches are therefore listed under outcome 0, with those in outcome 1 mirrored (cash = size
-- - cash). Otherwise takers would always seem to pay slightly more than the market, since most takers buy. Outcomes
-- of larger markets are separate.
--
-- Excluded are the venue's own contracts, trades of a trader with itself, block trades and trades of
-- anonymous venues. Trades from the resolution on are excluded too, since their price is the payout. `trader_index` is -1 for
-- addresses without a ledger.
-- ordered: no
-- columns: market_index, outcome, ts, trader_index; n_matches, size DECIMAL(18,6), cash_usd DECIMAL(18,6), own_size DECIMAL(18,6),
-- own_usd DECIMAL(18,6)
with tokens as (
  select
    o.market_id,
    o.token_id,
    m.market_index,
    case when m.n_outcomes = 2 then 0 else o.outcome end as outcome,
    m.n_outcomes = 2 and o.outcome = 1 as is_mirrored,
    m.resolved_at
  from core.outcomes o
  join core.ledger_markets m on m.market_id = o.market_id
),
placed as (
  select
    k.market_index,
    k.outcome,
    t.ts,
    coalesce(p.trader_index, -1) as trader_index,
    t.role = 'taker' as is_taker,
    -- Distinguishes the transactions of an instant.
    hash(t.tx) as tx,
    t.size::decimal(18, 6) as size,
    coalesce(t.cash_usd, (t.size::decimal(24, 6) * t.price)::decimal(38, 6))::decimal(18, 6) as cash_usd,
    k.is_mirrored
  from staging.tape t
  join tokens k on k.market_id = t.market_id and k.token_id = t.token_id
  left join core.trader_addresses p on p.wallet = t.trader
  anti join staging.system_addresses s on s.address = t.trader
  -- An anonymous venue has no trader to compare with a close.
  anti join core.venues v on v.venue = t.venue and v.is_anonymous
  where t.size > 0
    and t.role <> 'block'
    and (k.resolved_at is null or t.ts < k.resolved_at)
),
mirrored as (
  select * replace (case when is_mirrored then size - cash_usd else cash_usd end as cash_usd)
  from placed
),
-- The shares and cash that a row adds to each side of its trader.
sided as (
  select
    market_index,
    outcome,
    ts,
    trader_index,
    tx,
    is_taker::integer as n_matches,
    case when is_taker then size else 0 end as taken,
    case when is_taker then cash_usd else 0 end as taken_usd,
    case when is_taker then 0 else size end as made,
    case when is_taker then 0 else cash_usd end as made_usd
  from mirrored
),
instants as (
  select
    market_index,
    outcome,
    ts,
    trader_index,
    sum(n_matches) as n_matches,
    sum(taken) as taken,
    sum(taken_usd) as taken_usd,
    sum(made) as made,
    sum(made_usd) as made_usd
  from sided
  group by market_index, outcome, ts, trader_index
),
-- Only a maker and taker of one instant can have traded with themselves: few, whose transactions are separated below.
met as (
  select market_index, outcome, ts, trader_index
  from instants
  where trader_index >= 0 and taken > 0 and made > 0
),
sides as (
  select
    market_index,
    outcome,
    ts,
    trader_index,
    sum(n_matches) as n_matches,
    sum(taken) as taken,
    sum(taken_usd) as taken_usd,
    sum(made) as made,
    sum(made_usd) as made_usd
  from sided
  semi join met using (market_index, outcome, ts, trader_index)
  group by market_index, outcome, ts, trader_index, tx
),
-- A maker and taker of one transaction traded with themselves the smaller of both sides, at the price of that side: the
-- larger side may include matches with others, at their prices. If the remainder has no valid price, the two sides were
-- different matches, and the mean price is used.
doubled as (
  select *, least(taken, made) as own
  from sides
),
freed as (
  select
    * replace (
      taken - own as taken,
      made - own as made,
      case
        when own = 0 then taken_usd
        when own = taken then 0
        when taken_usd - made_usd between 0 and taken - own then taken_usd - made_usd
        else (taken_usd::double * (1 - own::double / taken::double))::decimal(18, 6)
      end as taken_usd,
      case
        when own = 0 then made_usd
        when own = made then 0
        else (made_usd::double * (1 - own::double / made::double))::decimal(18, 6)
      end as made_usd
    )
  from doubled
),
separated as (
  select
    market_index,
    outcome,
    ts,
    trader_index,
    sum(n_matches) as n_matches,
    sum(taken) as taken,
    sum(taken_usd) as taken_usd,
    sum(made) as made,
    sum(made_usd) as made_usd
  from freed
  group by market_index, outcome, ts, trader_index
)
select
  market_index,
  outcome,
  ts,
  trader_index,
  n_matches,
  taken as size,
  taken_usd as cash_usd,
  taken + made as own_size,
  taken_usd + made_usd as own_usd
from (
  from instants anti join met using (market_index, outcome, ts, trader_index)
  union all
  from separated
)
