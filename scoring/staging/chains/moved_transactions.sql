-- A place of a transaction that does not count, because a reorganization moved the transaction. A chain holds a
-- transaction once, but units are rewritten one after the other: until the second one is, either may hold the
-- transaction. Its earliest block counts. Only blocks near a unit that is not closed are compared: no unit has more
-- than 1,000 blocks.
-- columns: source, chain, block, tx
with heads as (
  select source, part, min(from_block) - 1000 as from_block
  from lake.coverage
  where dataset = 'transactions' and state = 'head' and from_block is not null
  group by source, part
),
recent as (
  select distinct t.source, t.chain, t.block, t.tx
  from lake.transactions t
  join heads h on h.source = t.source and h.part = t.chain and t.block >= h.from_block
),
placed as (
  select *, min(block) over (partition by source, chain, tx) as first_block
  from recent
)
select source, chain, block, tx
from placed
where block > first_block
