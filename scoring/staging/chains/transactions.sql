-- A transaction up to the clock, in a block that its source covers, from the source that counts there. One that was
-- read by an account of it (`solana_accounts`, `evm_accounts`) counts once, unless a source of blocks has it. `amount` is the native
-- value sent with it. `amount_fee` is all that was paid for it, the `amount_l1_fee` of a rollup included.
-- columns: chain, block, tx_index, tx; ts, sender, recipient?, amount, nonce? BIGINT, is_ok, gas_used? BIGINT, amount_fee,
-- amount_l1_fee?, source
with in_blocks as (
  select
    chain, block, tx_index, tx, ts, sender, recipient, amount, nonce, is_ok, gas_used, amount_fee, amount_l1_fee, source
  from lake.transactions r
  semi join staging.counting_blocks c
    on c.dataset = 'transactions' and c.source = r.source and c.part = r.chain
    and r.block >= c.from_block and r.block < c.to_block
  anti join staging.moved_transactions m
    on m.source = r.source and m.chain = r.chain and m.block = r.block and m.tx = r.tx
  where ts <= (select as_of from core.clock)
  -- A unit that was read with another size overlaps its neighbour.
  qualify row_number() over (partition by chain, block, tx) = 1
),
-- Several accounts of one transaction may be read, and not all of them with its position.
of_accounts as (
  select
    chain, block, tx_index, tx, ts, sender, recipient, amount, nonce, is_ok, gas_used, amount_fee, amount_l1_fee, source
  from lake.transactions
  where source in ('solana_accounts', 'evm_accounts') and ts <= (select as_of from core.clock)
  qualify row_number() over (partition by chain, tx order by tx_index desc) = 1
)
from in_blocks
union all
from of_accounts a
where not exists (from in_blocks b where b.chain = a.chain and b.tx = a.tx)
