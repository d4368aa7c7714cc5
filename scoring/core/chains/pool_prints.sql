-- One token's side of a swap in a pool, paid for with money: a stable, or the coin of the chain. The coin itself is
-- priced only in stables. `paid` is the money in whole coins, `price` the US dollars for one token, `is_sale` whether
-- the token was paid into the pool. Here the coin is worth its median price in stables of the hour, or of the last hour
-- with one. Events of routers are left out, since they repeat the events of pools.
--
-- Any contract can emit any event. A print counts if transfers of the money in the same transaction moved as much into
-- or out of the contract that emitted the event; coins sent with the transaction count for a contract that holds many
-- pools. On Solana the amounts are the movements of the vaults themselves.
--
-- The first stable of a chain (`core.chains`) is its dollar. Another stable is off its peg (`is_off_peg`) in an hour in
-- which the median of its swaps against the dollar, by at least 3 senders, is over 5 % from 1. It is no money then.
--
-- A swap of less than 10 US dollars, or of 2 billion, is left out, and so are outliers. A price is an outlier if it is
-- over 3 times above or below the median of the medians of the last 12 five minutes with swaps of the token. So is a
-- price that is further from the median of its own five minutes than a tenth of it, and than 5 x 1.4826 times the
-- median distance.
-- columns: chain, token, block, log_index, tx; ts, bucket_at, pool, sender, money, is_sale, amount, paid DOUBLE, price DOUBLE,
-- is_off_peg
with swapped as (
  select
    s.chain,
    s.block,
    s.log_index,
    s.ts,
    s.tx,
    coalesce(s.emitter, s.pool) as holder,
    case when s.emitter is null then s.pool else s.emitter || '/' || s.pool end as pool,
    case when s.emitter is null then 0::bignum else t.amount end as coins_sent,
    t.sender,
    -- An underlying exchange of Curve numbers the coins of the base pool from 1 on, which the pool does not list.
    coalesce(s.token0, case when s.family <> 'curve_meta' or s.coin0_index = 0 then p.tokens[s.coin0_index + 1] end) as token0,
    coalesce(s.token1, case when s.family <> 'curve_meta' or s.coin1_index = 0 then p.tokens[s.coin1_index + 1] end) as token1,
    s.amount0,
    s.amount1,
    c.wrapped,
    s.chain = 'solana' as is_measured,
    case when c.stables[1] = c.wrapped then 'native' else c.stables[1] end as dollar
  from staging.swaps s
  join staging.transactions t on t.chain = s.chain and t.block = s.block and t.tx = s.tx
  join core.chains c on c.chain = s.chain
  left join staging.pools p on p.chain = s.chain and p.pool = s.pool
  where s.pool is not null
    and ((s.amount0 > 0::bignum and s.amount1 < 0::bignum) or (s.amount0 < 0::bignum and s.amount1 > 0::bignum))
),
sides as (
  select
    chain, block, log_index, ts, tx, holder, pool, coins_sent, is_measured, sender, dollar,
    case when token0 = wrapped then 'native' else token0 end as token,
    case when token1 = wrapped then 'native' else token1 end as other,
    amount0 > 0::bignum as is_sale,
    case when amount0 < 0::bignum then -amount0 else amount0 end as amount,
    case when amount1 < 0::bignum then -amount1 else amount1 end as other_amount
  from swapped
  union all
  select
    chain, block, log_index, ts, tx, holder, pool, coins_sent, is_measured, sender, dollar,
    case when token1 = wrapped then 'native' else token1 end,
    case when token0 = wrapped then 'native' else token0 end,
    amount1 > 0::bignum,
    case when amount1 < 0::bignum then -amount1 else amount1 end,
    case when amount0 < 0::bignum then -amount0 else amount0 end
  from swapped
),
-- The amounts that addresses got and gave in a transaction.
parties as (
  select t.chain, t.block, t.tx, unnest([t.sender, t.recipient]) as holder, unnest([false, true]) as is_in, t.token, t.amount
  from staging.transfers t
  semi join swapped s on s.chain = t.chain and s.block = t.block and s.tx = t.tx
  where t.kind in ('transfer', 'internal')
),
moved as (
  select
    p.chain,
    p.block,
    p.tx,
    p.holder,
    p.is_in,
    case when p.token = c.wrapped then 'native' else p.token end as token,
    sum(p.amount) as amount
  from parties p
  join core.chains c on c.chain = p.chain
  group by p.chain, p.block, p.tx, p.holder, p.is_in, case when p.token = c.wrapped then 'native' else p.token end
),
backed as (
  select s.*
  from sides s
  left join moved m
    on m.chain = s.chain and m.block = s.block and m.tx = s.tx and m.holder = s.holder and m.token = s.other
    and m.is_in <> s.is_sale
  where coalesce(m.amount, 0::bignum) >= s.other_amount
    or (s.other = 'native' and not s.is_sale and s.coins_sent >= s.other_amount)
    or s.is_measured
),
measured as (
  select
    s.* exclude (other_amount, holder, coins_sent, is_measured),
    k.kind,
    o.kind as other_kind,
    s.other_amount::double / 10 ^ o.decimals as paid,
    s.amount::double / 10 ^ k.decimals as units,
    time_bucket(interval 5 minutes, s.ts) as bucket_at,
    time_bucket(interval 1 hour, s.ts) as hour_at
  from backed s
  join core.tokens k on k.chain = s.chain and k.token = s.token
  join core.tokens o on o.chain = s.chain and o.token = s.other
  where s.token <> s.other and (o.kind = 'stable' or (o.kind = 'native' and k.kind <> 'native'))
),
coins as (
  select chain, hour_at, quantile_cont(paid / units, 0.5) as coin_usd
  from measured
  where kind = 'native' and paid >= 10
  group by chain, hour_at
),
valued as (
  select m.*, m.paid * case when m.other_kind = 'native' then c.coin_usd else 1 end as usd
  from measured m
  asof left join coins c on c.chain = m.chain and c.hour_at <= m.hour_at
),
sizable as (
  select *, usd / units as price
  from valued
  where usd >= 10 and usd < 2000000000
),
off_peg as (
  select chain, token, hour_at
  from sizable
  where kind = 'stable' and other = dollar
  group by chain, token, hour_at
  having count(distinct sender) >= 3 and abs(quantile_cont(price, 0.5) - 1) > 0.05
),
usable as (
  select s.*, t.token is not null as is_off_peg
  from sizable s
  left join off_peg t on t.chain = s.chain and t.token = s.token and t.hour_at = s.hour_at
  where not exists (from off_peg o where o.chain = s.chain and o.token = s.other and o.hour_at = s.hour_at)
),
middles as (
  select chain, token, bucket_at, quantile_cont(price, 0.5) as middle
  from usable
  group by chain, token, bucket_at
),
levels as (
  select
    *,
    quantile_cont(middle, 0.5) over (
      partition by chain, token order by bucket_at rows between 12 preceding and 1 preceding
    ) as before
  from middles
),
spreads as (
  select
    u.chain, u.token, u.bucket_at,
    any_value(t.middle) as middle,
    any_value(t.before) as before,
    quantile_cont(abs(u.price - t.middle), 0.5) as spread
  from usable u
  join levels t
    on t.chain = u.chain and t.token = u.token and t.bucket_at = u.bucket_at
  group by u.chain, u.token, u.bucket_at
)
select
  u.chain,
  u.token,
  u.block,
  u.log_index,
  u.tx,
  u.ts,
  u.bucket_at,
  u.pool,
  u.sender,
  u.other_kind as money,
  u.is_sale,
  u.amount,
  u.paid,
  u.price,
  u.is_off_peg
from usable u
join spreads s
  on s.chain = u.chain and s.token = u.token and s.bucket_at = u.bucket_at
where (s.before is null or (u.price <= 3 * s.before and 3 * u.price >= s.before))
  and abs(u.price - s.middle) <= greatest(5 * 1.4826 * s.spread, 0.1 * s.middle)
