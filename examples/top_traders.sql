-- The traders with the largest realized profit over all time, among complete histories, with the markets that they won.
select
  r.trader,
  r.realized_usd,
  r.volume_usd,
  r.n_markets,
  r.n_closed,
  r.n_won,
  r.win_rate
from metrics.trader_results r
where r.range = 'all' and r.is_complete
order by r.realized_usd desc, r.trader
limit 100;
