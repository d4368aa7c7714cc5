-- The price of a token in five minutes with a print (`core.pool_prints`); `ts` is their start. Prints in stables count
-- as US dollars, prints in the coin at the coin's last price that is not thin, of the last 24 hours. A print that is
-- worth 2 billion by that price is left out.
--
--   usd_per_token  volume_usd / amount: the price weighted by volume. A stable on its peg is worth 1 (method peg)
--   n_pools, n_senders  different pools and senders of the 24 hours that end with these five minutes
--   depth_usd      value of the tokens that pools bought in those 24 hours from senders without a sale in these five
--                  minutes: the value that a position could be sold for, without the sellers themselves
--   is_thin        fewer than 2 pools and fewer than 3 senders. A thin price values nothing.
-- columns: chain, token, ts; usd_per_token DOUBLE, method, volume_usd, amount, n_pools, n_senders, depth_usd, is_thin
with coins as (
  select
    p.chain,
    p.bucket_at,
    sum(p.paid::decimal(38, 6))::double / (sum(p.amount)::double / 10 ^ any_value(k.decimals)) as coin_usd
  from core.pool_prints p
  join core.price_reach r on r.chain = p.chain and r.token = p.token and r.ts = p.bucket_at
  join core.tokens k on k.chain = p.chain and k.token = p.token
  where p.token = 'native' and k.kind = 'native' and (r.n_pools >= 2 or r.n_senders >= 3)
  group by p.chain, p.bucket_at
),
valued as (
  select
    p.chain,
    p.token,
    p.bucket_at,
    p.sender,
    p.is_sale,
    p.is_off_peg,
    p.amount,
    (p.paid * case when p.money = 'stable' then 1 else c.coin_usd end)::decimal(38, 6) as usd
  from core.pool_prints p
  asof left join coins c on c.chain = p.chain and c.bucket_at <= p.bucket_at
  where p.money = 'stable' or (p.bucket_at - c.bucket_at < interval 24 hours and p.paid * c.coin_usd < 2000000000)
),
buckets as (
  select
    chain,
    token,
    bucket_at,
    sum(usd) as volume_usd,
    sum(amount) as amount,
    bool_or(is_off_peg) as is_off_peg,
    coalesce(sum(usd) filter (is_sale), 0) as sold_usd
  from valued
  group by chain, token, bucket_at
),
sellers as (
  select chain, token, bucket_at, sender, sum(usd) as sold_usd
  from valued
  where is_sale
  group by chain, token, bucket_at, sender
),
own as (
  select
    chain,
    token,
    bucket_at,
    sum(sold_usd) over (
      partition by chain, token, sender order by bucket_at
      range between interval 1435 minutes preceding and current row
    ) as sold_usd
  from sellers
),
own_sums as (
  select chain, token, bucket_at, sum(sold_usd) as sold_usd
  from own
  group by chain, token, bucket_at
),
depths as (
  select
    *,
    sum(sold_usd) over (
      partition by chain, token order by bucket_at range between interval 1435 minutes preceding and current row
    ) as day_usd
  from buckets
)
select
  d.chain,
  d.token,
  d.bucket_at as ts,
  case
    when k.kind = 'stable' and not d.is_off_peg then 1
    else d.volume_usd::double / (d.amount::double / 10 ^ k.decimals)
  end as usd_per_token,
  case when k.kind = 'stable' and not d.is_off_peg then 'peg' else 'vwap' end as method,
  d.volume_usd,
  d.amount,
  r.n_pools,
  r.n_senders,
  d.day_usd - coalesce(o.sold_usd, 0) as depth_usd,
  r.n_pools < 2 and r.n_senders < 3 as is_thin
from depths d
join core.tokens k on k.chain = d.chain and k.token = d.token
join core.price_reach r on r.chain = d.chain and r.token = d.token and r.ts = d.bucket_at
left join own_sums o on o.chain = d.chain and o.token = d.token and o.bucket_at = d.bucket_at
