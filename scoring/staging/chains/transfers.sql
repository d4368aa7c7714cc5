-- A movement of one token up to the clock, in a block that its source covers, from the source that counts there.
-- Rows of an account (`solana_accounts`, `evm_accounts`) count with their transaction.
-- columns: chain, block, tx_index, tx, log_index; ts, kind, token, sender, recipient, amount, source
with in_blocks as (
  select
    chain, block, tx_index, tx, log_index, ts, kind, token, sender, recipient, amount, source
  from lake.transfers r
  semi join staging.counting_blocks c
    on c.dataset = 'transfers' and c.source = r.source and c.part = r.chain
    and r.block >= c.from_block and r.block < c.to_block
  anti join staging.moved_transactions m
    on m.source = r.source and m.chain = r.chain and m.block = r.block and m.tx = r.tx
  where ts <= (select as_of from core.clock)
  -- A unit that was read with another size overlaps its neighbour.
  qualify row_number() over (partition by chain, block, tx, log_index) = 1
),
of_accounts as (
  select
    chain, block, tx_index, tx, log_index, ts, kind, token, sender, recipient, amount, source
  from lake.transfers
  where source in ('solana_accounts', 'evm_accounts') and ts <= (select as_of from core.clock)
  qualify row_number() over (partition by chain, tx, log_index order by tx_index desc) = 1
)
from in_blocks
union all
from of_accounts a
semi join staging.transactions t on t.source = a.source and t.chain = a.chain and t.tx = a.tx
union all
-- The calls of a traced transaction, of which the first is the transaction itself.
select
  c.chain, c.block, c.tx_index, c.tx, -c.call_index, c.ts, 'internal', 'native', c.sender, c.recipient, c.amount, t.source
from lake.calls c
join staging.transactions t on t.chain = c.chain and t.block = c.block and t.tx = c.tx
where c.call_index > 0
qualify row_number() over (partition by c.chain, c.block, c.tx, c.call_index) = 1
