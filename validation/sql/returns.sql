-- A trader's return over the markets that were entered after the start of a period, `core.period`, and had resolved
-- by its end, which is the clock: `pnl_usd` over `cost_usd`, the total paid in, over all time in these markets.
--
-- A market in which the trader acted before the start is excluded, since part of its result was earned before. The
-- market must have resolved, whether or not the trader stayed: closed positions alone would flatter a trader who
-- sells winners and keeps losers. A trader counts with a complete history and at least 1 USD paid in.
-- columns: trader; n_markets, cost_usd, pnl_usd
select t.trader, count(*) as n_markets, sum(t.cost_usd) as cost_usd, sum(t.pnl_usd) as pnl_usd
from core.trader_markets t
join core.markets m on m.market_id = t.market_id
join core.history_completeness h on h.trader = t.trader
join core.period p on t.first_at > p.from_at
where m.resolved_at is not null and h.is_complete
group by t.trader
having sum(t.cost_usd) >= 1
