-- The ordered input of flows: the rows of each transaction up to the clock, side by side. A transaction has its native
-- value as `amount0`. A transfer has its kind as `family`, and its token and amount as the first of two. The tokens of
-- a pool are those that were last seen, separated by commas.
-- columns: chain, block, tx_index, tx, kind ENUM('transaction', 'swap', 'transfer', 'operation'), log_index; ts_us BIGINT,
-- is_ok, family?, pool?, coin0_index?, coin1_index?, token0?, token1?, amount0? VARCHAR, amount1? VARCHAR, sender?,
-- recipient?, trader?, tokens?, wrapped?
with pool_tokens as (
  select chain, pool, array_to_string(arg_max(tokens, seen_at), ',') as tokens
  from lake.pools
  where seen_at <= (select as_of from core.clock)
  group by chain, pool
),
facts as (
  select
    t.chain,
    t.block,
    t.tx_index,
    t.tx,
    'transaction' as kind,
    -1 as log_index,
    t.ts,
    t.is_ok,
    null::varchar as family,
    null::varchar as pool,
    null::integer as coin0_index,
    null::integer as coin1_index,
    null::varchar as token0,
    null::varchar as token1,
    t.amount::varchar as amount0,
    null::varchar as amount1,
    t.sender,
    t.recipient,
    null::varchar as trader,
    null::varchar as tokens,
    w.wrapped
  from lake.transactions t
  left join staging.wrapped_coins w on w.chain = t.chain
  union all
  select
    s.chain, s.block, s.tx_index, s.tx, 'swap', s.log_index, s.ts, true, s.family, s.pool, s.coin0_index, s.coin1_index,
    s.token0, s.token1, s.amount0::varchar, s.amount1::varchar, s.sender, s.recipient, s.trader, p.tokens, null
  from lake.swaps s
  left join pool_tokens p on p.chain = s.chain and p.pool = s.pool
  union all
  select
    chain, block, tx_index, tx, 'transfer', log_index, ts, true, kind, null, null, null, token, null, amount::varchar,
    null, sender, recipient, null, null, null
  from lake.transfers
  union all
  select
    chain, block, tx_index, tx, 'operation', log_index, ts, is_ok, null, null, null, null, null, null, null, null, sender,
    null, null, null, null
  from lake.user_operations
)
select
  chain,
  block::bigint as block,
  tx_index::integer as tx_index,
  tx,
  kind::enum ('transaction', 'swap', 'transfer', 'operation') as kind,
  log_index::integer as log_index,
  epoch_us(ts) as ts_us,
  is_ok,
  family,
  pool,
  coin0_index,
  coin1_index,
  token0,
  token1,
  amount0,
  amount1,
  sender,
  recipient,
  trader,
  tokens,
  wrapped
from facts
where ts <= (select as_of from core.clock)
order by chain, block, tx_index, tx, kind, log_index
