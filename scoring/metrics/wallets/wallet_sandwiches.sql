-- The sandwiches of a wallet on one chain: it swapped in a pool, swapped back later in the same block, and another
-- sender's swap in the direction of the first stood between. A direction is the token paid in and the token paid out.
-- columns: wallet, chain; n_sandwiches
with swaps as (
  select
    s.chain,
    s.block,
    s.pool,
    s.tx_index,
    s.log_index,
    t.sender as wallet,
    s.amount0 > 0::bignum as is_in,
    coalesce(s.token0, s.coin0_index::varchar) as coin0,
    coalesce(s.token1, s.coin1_index::varchar) as coin1
  from staging.swaps s
  join staging.transactions t on t.chain = s.chain and t.tx = s.tx
  -- A transaction without an index has no known place in its block.
  where s.pool is not null and s.amount0 is not null and s.tx_index >= 0
),
directed as (
  select * exclude (coin0, coin1), if(is_in, coin0, coin1) as paid, if(is_in, coin1, coin0) as given
  from swaps
)
select a.wallet, a.chain, count(distinct (a.block, a.pool, a.tx_index, a.log_index)) as n_sandwiches
from directed a
join directed v on v.chain = a.chain and v.block = a.block and v.pool = a.pool and v.paid = a.paid and v.given = a.given
  and v.wallet <> a.wallet and (v.tx_index, v.log_index) > (a.tx_index, a.log_index)
join directed b on b.chain = a.chain and b.block = a.block and b.pool = a.pool and b.paid = a.given and b.given = a.paid
  and b.wallet = a.wallet and (b.tx_index, b.log_index) > (v.tx_index, v.log_index)
group by a.wallet, a.chain
