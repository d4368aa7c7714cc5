-- The volume of each market without counting twice: a match has a fill of its taker and fills of its makers.
--
-- `volume_usd` is the cash of the takers. `all_fills_usd` is the sum over all fills, which many dashboards show.
-- `core.volume('polymarket:0x…')` gives the days of a known market.
select
  f.market_id,
  m.question,
  count(*) filter (where f.role = 'taker') as n_matches,
  coalesce(sum(f.cash_usd) filter (where f.role = 'taker'), 0) as volume_usd,
  sum(f.cash_usd) as all_fills_usd
from core.fills f
join core.markets m on m.market_id = f.market_id
group by f.market_id, m.question
order by volume_usd desc, f.market_id;
