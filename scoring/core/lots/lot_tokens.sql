-- The number of a token, in the order of chain and contract. `moneyness` is 2 for a stable, 1 for the chain's own coin
-- and 0 for all other tokens: the gas of a trade belongs to its less money-like token.
-- columns: token_index; chain, token, moneyness INTEGER
with tokens as (
  select chain, token_sold as token
  from core.trades
  union
  select chain, token_bought
  from core.trades
  union
  select chain, token
  from core.transfers
)
select
  row_number() over (order by n.chain, n.token) - 1 as token_index,
  n.chain,
  n.token,
  case t.kind when 'stable' then 2 when 'native' then 1 else 0 end as moneyness
from tokens n
left join core.tokens t on t.chain = n.chain and t.token = n.token
