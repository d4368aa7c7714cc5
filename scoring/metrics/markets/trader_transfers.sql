-- Shares that a trader got from others and gave to others without a match, at the price of the moment
-- (`core.share_transfers`). `valued_share` is both over the total paid in, 0 to 1. From 0.05 on it `is_material`: the
-- result is then a matter of these prices, and the trader is not listed.
-- columns: trader; n_transfers, received_usd, given_usd, valued_share, is_material
with moved as (
  select
    trader,
    trader_index,
    count(*) as n_transfers,
    coalesce(sum(value_usd) filter (kind = 'transfer_in'), 0) as received_usd,
    coalesce(sum(value_usd) filter (kind = 'transfer_out'), 0) as given_usd
  from core.share_transfers
  group by trader, trader_index
),
paid as (
  select p.trader_index, sum(p.bought_usd) as bought_usd
  from core.positions p
  semi join moved m on m.trader_index = p.trader_index
  group by p.trader_index
)
select
  m.trader,
  m.n_transfers,
  m.received_usd,
  m.given_usd,
  case
    when m.received_usd + m.given_usd = 0 then 0
    when p.bought_usd > m.received_usd + m.given_usd then (m.received_usd + m.given_usd) / p.bought_usd
    else 1
  end as valued_share,
  valued_share >= 0.05 as is_material
from moved m
left join paid p on p.trader_index = m.trader_index
