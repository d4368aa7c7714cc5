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
with
-- Inlined: the second reading is of a few rows, and the first needs no transactions.
placed as not materialized (
  select
    n.market_index,
    case when m.n_outcomes = 2 then 0 else o.outcome end as outcome,
    t.ts,
    coalesce(p.trader_index, -1) as trader_index,
    t.role,
    t.tx,
    t.size::decimal(18, 6) as size,
    (case
      when m.n_outcomes = 2 and o.outcome = 1 then t.size - coalesce(t.cash_usd, (t.size::decimal(24, 6) * t.price)::decimal(38, 6))
      else coalesce(t.cash_usd, (t.size::decimal(24, 6) * t.price)::decimal(38, 6))
    end)::decimal(18, 6) as cash_usd
  from staging.tape t
  join core.outcomes o on o.market_id = t.market_id and o.token_id = t.token_id
  join core.markets m on m.market_id = t.market_id
  join core.ledger_markets n on n.market_id = t.market_id
  left join core.ledger_traders p on p.trader = t.trader
  where (m.resolved_at is null or t.ts < m.resolved_at)
    and not exists (from staging.system_addresses s where s.address = t.trader)
),
sides as (
  select
    market_index,
    outcome,
    ts,
    trader_index,
    count(*) filter (role = 'taker') as n_matches,
    coalesce(sum(size) filter (role = 'taker'), 0) as taken,
    coalesce(sum(cash_usd) filter (role = 'taker'), 0) as taken_usd,
    sum(size) as own,
    sum(cash_usd) as own_usd,
    min(role) <> max(role) as is_both
  from placed
  group by market_index, outcome, ts, trader_index
),
-- Maker and taker in one transaction.
selves as (
  select market_index, outcome, ts, trader_index, sum(size) as size, sum(cash_usd) as cash_usd
  from (
    select
      p.market_index,
      p.outcome,
      p.ts,
      p.trader_index,
      sum(p.size) filter (p.role = 'maker') as size,
      sum(p.cash_usd) filter (p.role = 'maker') as cash_usd
    from placed p
    semi join (from sides where is_both and trader_index >= 0) b
      on b.market_index = p.market_index and b.outcome = p.outcome and b.ts = p.ts and b.trader_index = p.trader_index
    group by p.market_index, p.outcome, p.ts, p.trader_index, p.tx
    having min(p.role) <> max(p.role)
  )
  group by market_index, outcome, ts, trader_index
)
select
  s.market_index,
  s.outcome,
  s.ts,
  s.trader_index,
  s.n_matches,
  s.taken - coalesce(e.size, 0) as size,
  s.taken_usd - coalesce(e.cash_usd, 0) as cash_usd,
  s.own - 2 * coalesce(e.size, 0) as own_size,
  s.own_usd - 2 * coalesce(e.cash_usd, 0) as own_usd
from sides s
left join selves e
  on e.market_index = s.market_index and e.outcome = s.outcome and e.ts = s.ts and e.trader_index = s.trader_index
