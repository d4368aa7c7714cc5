-- The last known price of each token of a chain, of the last 7 days, as `/v1/wallet` values live balances. A dollar on
-- its peg is worth 1 at all times, so it has no `priced_at` before its first trade. Any contract may give itself any
-- symbol.
-- columns: chain, token; symbol?, decimals UTINYINT, usd_per_token DOUBLE, priced_at?
select
  p.chain,
  p.token,
  any_value(k.symbol) as symbol,
  any_value(k.decimals) as decimals,
  arg_max(p.usd_per_unit, p.ts) * 10 ^ any_value(k.decimals) as usd_per_token,
  nullif(max(p.ts), timestamp '1970-01-01') as priced_at
from core.unit_prices p
cross join core.clock c
join core.tokens k on k.chain = p.chain and k.token = p.token
where p.to_at > c.as_of - interval 7 days
group by p.chain, p.token
