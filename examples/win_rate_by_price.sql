-- The win rate by the price paid: the share of bought shares that paid out, in buckets of 10 cents.
--
-- A fair market pays out `price_usd` of each share on average. `edge_usd` is the profit of a share before fees.
select
  least(floor(f.price * 10), 9) / 10 as bucket,
  count(*) as n_fills,
  sum(f.size) as size,
  round(sum(f.cash_usd) / sum(f.size), 6) as price_usd,
  round(sum(f.size * o.payout) / sum(f.size), 6) as win_rate,
  round(sum(f.size * o.payout - f.cash_usd) / sum(f.size), 6) as edge_usd
from core.fills f
join core.outcomes o on o.market_id = f.market_id and o.outcome = f.outcome
where f.side = 'buy' and o.payout is not null
group by bucket
order by bucket;
