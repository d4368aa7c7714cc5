-- A trader's return over the markets that were entered and resolved in a period. The period begins at `core.period` and
-- ends at the clock. The return is `pnl_usd` / `cost_usd`, the total paid in, over all time in these markets.
--
-- A market in which the trader acted before the start is excluded, since part of its result was earned before. The
-- market must have resolved, even if the trader left before. Closed positions alone would flatter traders that sell
-- winners and hold losers. A trader counts with a complete history and at least 1 USD paid in.
-- columns: trader; n_markets, cost_usd, pnl_usd
select t.trader, count(*) as n_markets, sum(t.cost_usd) as cost_usd, sum(t.pnl_usd) as pnl_usd
from core.trader_markets t
join core.markets m on m.market_id = t.market_id
join core.history_completeness h on h.trader = t.trader
join core.period p on t.first_at > p.from_at
where m.resolved_at is not null and h.is_complete
group by t.trader
having sum(t.cost_usd) >= 1
