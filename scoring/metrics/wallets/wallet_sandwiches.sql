-- The sandwiches of a wallet on one chain: it swapped in a pool, swapped back later in the same block, and another
-- sender's swap in the direction of the first stood between. Directions follow the sign of `amount0`.
-- columns: wallet, chain; n_sandwiches
with swaps as (
  select
    s.chain,
    s.block,
    s.pool,
    s.log_index,
    t.sender as wallet,
    s.amount0 > 0::bignum as is_in
  from staging.swaps s
  join staging.transactions t on t.chain = s.chain and t.tx = s.tx
  where s.pool is not null and s.amount0 is not null
)
select a.wallet, a.chain, count(distinct (a.block, a.pool, a.log_index)) as n_sandwiches
from swaps a
join swaps v on v.chain = a.chain and v.block = a.block and v.pool = a.pool and v.is_in = a.is_in
  and v.wallet <> a.wallet and v.log_index > a.log_index
join swaps b on b.chain = a.chain and b.block = a.block and b.pool = a.pool and b.is_in <> a.is_in
  and b.wallet = a.wallet and b.log_index > v.log_index
group by a.wallet, a.chain
