-- A token as scored: the native coin of each chain that was read, and the tokens whose decimals are known. Without
-- them, a token has no row and no price, unless it is the share of a pool. The native coin and its wrapped form are one
-- token, `native`. A dollar whose contract has no symbol, or whose contract was not read, has that of the registry.
--
--   kind           stable: worth a US dollar (`core.chains`); native: the coin of the chain; lp: the share of a pool;
--                  receipt: the share of a vault; other
--   first_pool_at  creation of the token's first pool. Unknown if the token traded in a pool before it, since that pool
--                  is older than the blocks that were read.
--   is_listed      stable or native
--   is_excluded    its balances change without a Transfer, so its lots need not add up to them.
-- columns: chain, token; symbol?, decimals UTINYINT, kind, asset_id?, first_pool_at?, is_listed, is_excluded
with rebasing as (
  select *
  from (
    values
      -- stETH, AMPL, aUSDC and aWETH of Aave V3, USDB and WETH of Blast
      ('ethereum', '0xae7ab96520de3a18e5e111b5eaab095312d7fe84'),
      ('ethereum', '0xd46ba6d942050d489dbd938a2c909a5d5039a161'),
      ('ethereum', '0x98c23e9d8f34fefb1b7bd6a91b7ff122f4e16f5c'),
      ('ethereum', '0x4d5f47fa6a74757f35c14fd3a6ef8e3c9bc514e8'),
      ('blast', '0x4300000000000000000000000000000000000003'),
      ('blast', '0x4300000000000000000000000000000000000004')
  ) as t (chain, token)
),
chains as (
  select *
  from core.chains
  where chain in (select part from staging.block_intervals)
    or chain in (
      select part from lake.coverage where source in ('solana_accounts', 'evm_accounts') and dataset = 'transactions'
    )
),
traded as (
  select chain, pool, min(ts) as first_at
  from staging.swaps
  where pool is not null
  group by chain, pool
),
coins as (
  select
    p.chain,
    case when t.token = c.wrapped then 'native' else t.token end as token,
    p.created_at,
    s.first_at
  from staging.pools p
  left join traded s on s.chain = p.chain and s.pool = p.pool
  join chains c on c.chain = p.chain
  cross join lateral (select unnest(p.tokens) as token) t
),
pooled as (
  select
    chain,
    token,
    case when min(created_at) <= coalesce(min(first_at), 'infinity') then min(created_at) end as first_pool_at
  from coins
  group by chain, token
),
shares as (
  -- The token of a pool of Balancer is the first part of the pool's id.
  select distinct chain, substr(pool, 1, 42) as token
  from staging.pools
),
stables as (
  select chain, case when token = wrapped then 'native' else token end as token, symbol
  from (select chain, wrapped, unnest(stables) as token, unnest(stable_symbols) as symbol from chains)
),
known as (
  select chain, 'native' as token from chains
  union
  select chain, token from stables
  union
  select chain, token from pooled
  union
  select chain, token from shares
  union
  select s.chain, s.token
  from staging.tokens s
  join chains c on c.chain = s.chain and s.token is distinct from c.wrapped
)
select
  k.chain,
  k.token,
  case when k.token = 'native' then c.native_symbol else coalesce(t.symbol, s.symbol) end as symbol,
  case when k.token = 'native' then c.native_decimals else coalesce(t.decimals, 18) end as decimals,
  case
    when s.token is not null then 'stable'
    when k.token = 'native' then 'native'
    when l.token is not null then 'lp'
    when t.standard = 'erc4626' then 'receipt'
    else 'other'
  end as kind,
  null::varchar as asset_id,
  p.first_pool_at,
  s.token is not null or k.token = 'native' as is_listed,
  r.token is not null as is_excluded
from known k
join chains c on c.chain = k.chain
left join staging.tokens t on t.chain = k.chain and t.token = k.token
left join pooled p on p.chain = k.chain and p.token = k.token
left join stables s on s.chain = k.chain and s.token = k.token
left join shares l on l.chain = k.chain and l.token = k.token
left join rebasing r on r.chain = k.chain and r.token = k.token
where k.token = 'native' or t.decimals is not null or l.token is not null
