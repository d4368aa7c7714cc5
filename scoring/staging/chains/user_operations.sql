-- An operation of a smart account (ERC-4337) up to the clock, in a block that its source covers, from the source that
-- counts there. `amount_fee` is what the account or its paymaster was charged.
-- columns: chain, block, tx_index, tx, log_index; ts, sender, paymaster, is_ok, amount_fee, source
with ranges as (
  select * from staging.block_intervals where dataset = 'user_operations'
),
covered as (
  select r.*, c.preference
  from lake.user_operations r
  join ranges c on c.source = r.source and c.part = r.chain and r.block >= c.from_block and r.block < c.to_block
  where r.ts <= (select as_of from core.clock)
),
better as (
  select * from ranges where preference < (select max(preference) from ranges)
)
select
  chain, block, tx_index, tx, log_index, ts, sender, paymaster, is_ok, amount_fee, source
from covered r
anti join staging.moved_transactions m
  on m.source = r.source and m.chain = r.chain and m.block = r.block and m.tx = r.tx
where not exists (
  from better b
  where b.part = r.chain and b.preference < r.preference and r.block >= b.from_block and r.block < b.to_block
)
-- A unit that was read with another size overlaps its neighbour.
qualify row_number() over (partition by chain, block, tx, log_index order by preference) = 1
