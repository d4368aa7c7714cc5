-- A transaction up to the clock, in a block that its source covers, from the source that counts there. `amount` is the
-- native value sent with it. `amount_fee` is all that was paid for it, the `amount_l1_fee` of a rollup included.
-- columns: chain, block, tx_index, tx; ts, sender, recipient?, amount, nonce? BIGINT, is_ok, gas_used? BIGINT, amount_fee,
-- amount_l1_fee?, source
with ranges as (
  select * from staging.block_intervals where dataset = 'transactions'
),
covered as (
  select r.*, c.preference
  from lake.transactions r
  join ranges c on c.source = r.source and c.part = r.chain and r.block >= c.from_block and r.block < c.to_block
  where r.ts <= (select as_of from core.clock)
),
better as (
  select * from ranges where preference < (select max(preference) from ranges)
)
select
  chain, block, tx_index, tx, ts, sender, recipient, amount, nonce, is_ok, gas_used, amount_fee, amount_l1_fee, source
from covered r
anti join staging.moved_transactions m
  on m.source = r.source and m.chain = r.chain and m.block = r.block and m.tx = r.tx
where not exists (
  from better b
  where b.part = r.chain and b.preference < r.preference and r.block >= b.from_block and r.block < b.to_block
)
-- A unit that was read with another size overlaps its neighbour.
qualify row_number() over (partition by chain, block, tx order by preference) = 1
