-- What a trader's matches of one instant are on the tape of a market, as numbers: the ground of closes, which are the
-- prices of others. `size` and `cash_usd` is what the market traded, each match once, by its taker; `own_size` and
-- `own_usd` are the part of the market's trade that this trader was in, as taker or maker. The price of others in a
-- window is so (sum of cash_usd - own's) / (sum of size - own's).
--
-- A market of two outcomes has one book: who buys one outcome at p meets who sells it at p, or who buys the other at
-- 1 - p. So all its matches stand under outcome 0, those in outcome 1 mirrored (cash = size - cash); otherwise whoever
-- takes would always seem to pay a little more than the market, since most takers buy. Outcomes of larger markets stand
-- alone. Left out are the venue's own contracts, what somebody traded with themselves, and what was traded from the
-- resolution on, when the price is the payout. `trader_index` is -1 for those without a ledger.
-- columns: market_index, outcome, ts, trader_index; n_matches, size, cash_usd, own_size DECIMAL(38,6), own_usd
with placed as (
  select
    n.market_index,
    case when m.n_outcomes = 2 then 0 else o.outcome end as outcome,
    t.ts,
    coalesce(p.trader_index, -1) as trader_index,
    t.role = 'taker' as is_taker,
    -- Enough to tell one transaction from another within an instant.
    hash(t.tx) as tx,
    t.size::decimal(18, 6) as size,
    coalesce(t.cash_usd, (t.size::decimal(24, 6) * t.price)::decimal(38, 6))::decimal(18, 6) as cash_usd,
    m.n_outcomes = 2 and o.outcome = 1 as is_mirrored
  from staging.tape t
  join core.outcomes o on o.market_id = t.market_id and o.token_id = t.token_id
  join core.markets m on m.market_id = t.market_id
  join core.ledger_markets n on n.market_id = t.market_id
  left join core.ledger_traders p on p.trader = t.trader
  where t.size > 0
    and (m.resolved_at is null or t.ts < m.resolved_at)
    and not exists (from staging.system_addresses s where s.address = t.trader)
),
mirrored as (
  select * replace (case when is_mirrored then size - cash_usd else cash_usd end as cash_usd)
  from placed
),
sides as (
  select
    market_index,
    outcome,
    ts,
    trader_index,
    count(*) filter (is_taker) as n_matches,
    coalesce(sum(size) filter (is_taker), 0) as taken,
    coalesce(sum(cash_usd) filter (is_taker), 0) as taken_usd,
    coalesce(sum(size) filter (not is_taker), 0) as made,
    coalesce(sum(cash_usd) filter (not is_taker), 0) as made_usd
  from mirrored
  group by market_index, outcome, ts, trader_index, tx
),
-- Who is maker and taker in one transaction has traded with themselves as much as was on both sides of it, at the price
-- of the side that is in it whole: a taker may have met others too, at prices of theirs. Where that would leave what is
-- no price, the two sides were of different matches, and the mean price is taken.
doubled as (
  select *, case when trader_index >= 0 then least(taken, made) else 0 end as own
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
)
select
  market_index,
  outcome,
  ts,
  trader_index,
  sum(n_matches) as n_matches,
  sum(taken) as size,
  sum(taken_usd) as cash_usd,
  sum(taken + made) as own_size,
  sum(taken_usd + made_usd) as own_usd
from freed
group by market_index, outcome, ts, trader_index
