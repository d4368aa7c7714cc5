-- What a trader made of the markets that were entered after the start of a period, `core.period`, and had resolved by its
-- end, which is the clock: `pnl_usd` over `cost_usd`, all that was paid in, whole lives in these markets.
--
-- From what happened after the start alone: a market in which the trader had done anything before is left out whole, since
-- what it paid was partly earned before. And the market has resolved, whether the trader stayed until then or not: who
-- sells what has risen and keeps what has fallen would look good over the positions that are closed. Of traders whose
-- history is complete, with at least 1 USD paid in.
-- columns: trader; n_markets, cost_usd, pnl_usd
select t.trader, count(*) as n_markets, sum(t.cost_usd) as cost_usd, sum(t.pnl_usd) as pnl_usd
from core.trader_markets t
join core.markets m on m.market_id = t.market_id
join core.history_completeness h on h.trader = t.trader
join core.period p on t.first_at > p.from_at
where m.resolved_at is not null and h.is_complete
group by t.trader
having sum(t.cost_usd) >= 1
