-- A movement of one token up to the clock, in a block that its source covers, from the source that counts there.
-- Rows of an account (`solana_accounts`) count with their transaction.
-- columns: chain, block, tx_index, tx, log_index; ts, kind, token, sender, recipient, amount, source
with ranges as (
  select * from staging.block_intervals where dataset = 'transfers'
),
covered as (
  select r.*, c.preference
  from lake.transfers r
  join ranges c on c.source = r.source and c.part = r.chain and r.block >= c.from_block and r.block < c.to_block
  where r.ts <= (select as_of from core.clock)
),
better as (
  select * from ranges where preference < (select max(preference) from ranges)
),
in_blocks as (
  select
    chain, block, tx_index, tx, log_index, ts, kind, token, sender, recipient, amount, source
  from covered r
  anti join staging.moved_transactions m
    on m.source = r.source and m.chain = r.chain and m.block = r.block and m.tx = r.tx
  where not exists (
    from better b
    where b.part = r.chain and b.preference < r.preference and r.block >= b.from_block and r.block < b.to_block
  )
  -- A unit that was read with another size overlaps its neighbour.
  qualify row_number() over (partition by chain, block, tx, log_index order by preference) = 1
),
of_accounts as (
  select
    chain, block, tx_index, tx, log_index, ts, kind, token, sender, recipient, amount, source
  from lake.transfers
  where source = 'solana_accounts' and ts <= (select as_of from core.clock)
  qualify row_number() over (partition by chain, tx, log_index order by tx_index desc) = 1
)
from in_blocks
union all
from of_accounts a
semi join staging.transactions t on t.source = a.source and t.chain = a.chain and t.tx = a.tx
