-- The value of one raw unit of a token, from `ts` until `to_at`: the last price that is not thin, for 24 hours. A
-- stable is worth a US dollar at all times, unless it is off its peg.
-- columns: chain, token, ts; to_at, usd_per_unit DOUBLE
with priced as (
  select chain, token, ts, usd_per_token
  from core.prices
  where not is_thin
  union all
  select chain, token, timestamp '1970-01-01', 1
  from core.tokens
  where kind = 'stable'
)
select
  p.chain,
  p.token,
  p.ts,
  least(
    coalesce(lead(p.ts) over (partition by p.chain, p.token order by p.ts), timestamp '9999-01-01'),
    case when k.kind = 'stable' then timestamp '9999-01-01' else p.ts + interval 24 hours end
  ) as to_at,
  p.usd_per_token / 10 ^ k.decimals as usd_per_unit
from priced p
join core.tokens k on k.chain = p.chain and k.token = p.token
