-- The ordered input of flows: the rows of each transaction, side by side. A transaction has its native value as
-- `amount0`. A transfer has its kind as `family`, and its token and amount as the first of two. The tokens of a pool
-- are separated by commas. Blocks count in which transactions, swaps, transfers and user operations are all covered,
-- and transactions that were read by an account. One of `evm_accounts` has the accounts for which it counts as `readers`,
-- separated by commas; null: it counts for all.
-- columns: chain, block, tx_index, tx, kind ENUM('transaction', 'swap', 'transfer', 'operation'), log_index; ts_us BIGINT,
-- is_ok, family?, pool?, coin0_index?, coin1_index?, token0?, token1?, amount0? VARCHAR, amount1? VARCHAR, sender?,
-- recipient?, trader?, tokens?, wrapped?, is_contract?, usd_per_unit? DOUBLE, is_plain?, readers?, is_traced?
with transactions as (
  select t.*, c.wrapped
  from staging.transactions t
  left join core.chains c on c.chain = t.chain
  -- An account that is read by its address has all rows of its transactions.
  where t.source in ('solana_accounts', 'evm_accounts')
    or (
      exists (
        from staging.block_intervals i
        where i.dataset = 'swaps' and i.part = t.chain and t.block >= i.from_block and t.block < i.to_block
      )
      and exists (
        from staging.block_intervals i
        where i.dataset = 'transfers' and i.part = t.chain and t.block >= i.from_block and t.block < i.to_block
      )
      and exists (
        from staging.block_intervals i
        where i.dataset = 'user_operations' and i.part = t.chain and t.block >= i.from_block and t.block < i.to_block
      )
    )
),
transfers as (
  select t.*, coalesce(c.chain is not null, false) as is_native
  from staging.transfers t
  left join core.chains c on c.chain = t.chain and (c.wrapped = t.token or t.token = 'native')
),
readers as (
  select chain, tx, string_agg(account, ',') as readers
  from staging.account_transactions
  group by chain, tx
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
    t.wrapped,
    a.kind = 'contract' as is_contract,
    case when t.ts < p.to_at then p.usd_per_unit end as usd_per_unit,
    r.is_plain,
    case when t.source = 'evm_accounts' then coalesce(e.readers, '') end as readers,
    x.tx is not null as is_traced
  from transactions t
  left join staging.traced x on x.chain = t.chain and x.block = t.block and x.tx = t.tx
  left join readers e on e.chain = t.chain and e.tx = t.tx
  left join core.routers r on r.chain = t.chain and r.router = t.recipient
  left join staging.addresses a on a.chain = t.chain and a.address = t.recipient
  asof left join core.unit_prices p on p.chain = t.chain and p.token = 'native' and p.ts <= t.ts
  union all
  select
    s.chain, s.block, s.tx_index, s.tx, 'swap', s.log_index, s.ts, true, s.family, s.pool, s.coin0_index, s.coin1_index,
    s.token0, s.token1, s.amount0::varchar, s.amount1::varchar, s.sender, s.recipient, s.trader,
    array_to_string(p.tokens, ','), null, null, null, null, null, null
  from staging.swaps s
  left join staging.pools p on p.chain = s.chain and p.pool = s.pool
  union all
  select
    t.chain, t.block, t.tx_index, t.tx, 'transfer', t.log_index, t.ts, true, t.kind, null, null, null, t.token, null,
    t.amount::varchar, null, t.sender, t.recipient, null, null, null, a.kind = 'contract',
    case when t.ts < p.to_at then p.usd_per_unit end, null, null, null
  from transfers t
  left join staging.addresses a on a.chain = t.chain and a.address = t.recipient
  asof left join core.unit_prices p
    on p.chain = t.chain and p.token = case when t.is_native then 'native' else t.token end and p.ts <= t.ts
  union all
  select
    chain, block, tx_index, tx, 'operation', log_index, ts, is_ok, null, null, null, null, null, null, null, null, sender,
    null, null, null, null, null, null, null, null, null
  from staging.user_operations
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
  wrapped,
  is_contract,
  usd_per_unit,
  is_plain,
  readers,
  is_traced
from facts
order by chain, block, tx_index, tx, kind, log_index
