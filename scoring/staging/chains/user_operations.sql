-- An operation of a smart account (ERC-4337) up to the clock, in a block that its source covers, from the source that
-- counts there. Rows of an account (`evm_accounts`) count with their transaction. `amount_fee` is what the account or its
-- paymaster was charged.
-- columns: chain, block, tx_index, tx, log_index; ts, sender, paymaster, is_ok, amount_fee, source
with in_blocks as (
  select
    chain, block, tx_index, tx, log_index, ts, sender, paymaster, is_ok, amount_fee, source
  from lake.user_operations r
  semi join staging.counting_blocks c
    on c.dataset = 'user_operations' and c.source = r.source and c.part = r.chain
    and r.block >= c.from_block and r.block < c.to_block
  anti join staging.moved_transactions m
    on m.source = r.source and m.chain = r.chain and m.block = r.block and m.tx = r.tx
  where ts <= (select as_of from core.clock)
  -- A unit that was read with another size overlaps its neighbour.
  qualify row_number() over (partition by chain, block, tx, log_index) = 1
),
of_accounts as (
  select
    chain, block, tx_index, tx, log_index, ts, sender, paymaster, is_ok, amount_fee, source
  from lake.user_operations
  where source = 'evm_accounts' and ts <= (select as_of from core.clock)
  qualify row_number() over (partition by chain, tx, log_index) = 1
)
from in_blocks
union all
from of_accounts a
semi join staging.transactions t on t.source = a.source and t.chain = a.chain and t.tx = a.tx
