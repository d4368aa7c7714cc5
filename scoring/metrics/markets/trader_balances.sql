-- Money of a trader beside the realized results. `unrealized_usd` is what the shares held in unresolved markets are
-- worth above their cost, at the prices of `metrics.market_odds`. Shares without a price count at cost; `n_unpriced`
-- counts their outcomes. `income_usd` is rewards and rebates, which are no part of the results. `combo_usd` is the net
-- cash of parlays (`core.combos`).
-- columns: trader; open_cost_usd, unrealized_usd, n_unpriced, income_usd, combo_usd, n_combo_fills
with held as (
  select
    p.trader,
    p.cost_usd,
    case
      when o.yes_method = 'none' then null
      when p.outcome = 0 then (p.size::decimal(24, 6) * o.yes_price)::decimal(38, 6)
      when m.n_outcomes = 2 then (p.size::decimal(24, 6) * (1 - o.yes_price))::decimal(38, 6)
    end as value_usd
  from core.positions p
  join core.markets m on m.market_id = p.market_id
  join metrics.market_odds o on o.market_id = p.market_id
  where p.size > 0 and m.resolved_at is null
),
open as (
  select
    trader,
    sum(cost_usd) as open_cost_usd,
    sum(coalesce(value_usd, cost_usd) - cost_usd) as unrealized_usd,
    count(*) filter (value_usd is null) as n_unpriced
  from held
  group by trader
),
income as (
  select a.trader, sum(m.cash_usd) as income_usd
  from staging.activity m
  join core.trader_addresses a on a.wallet = m.trader
  where m.kind in ('reward', 'rebate')
  group by a.trader
)
select
  h.trader,
  coalesce(o.open_cost_usd, 0) as open_cost_usd,
  coalesce(o.unrealized_usd, 0) as unrealized_usd,
  coalesce(o.n_unpriced, 0) as n_unpriced,
  coalesce(i.income_usd, 0) as income_usd,
  coalesce(c.combo_usd, 0) as combo_usd,
  coalesce(c.n_fills, 0) as n_combo_fills
from core.history_completeness h
left join open o on o.trader = h.trader
left join income i on i.trader = h.trader
left join core.combos c on c.trader = h.trader
