-- A range of blocks in which one source counts for a dataset: of the sources that cover the blocks, the one with the
-- highest precedence. The ranges of a part of a dataset do not overlap; `to_block` is exclusive.
-- columns: dataset, part, from_block; to_block, source
with borders as (
  select dataset, part, from_block as block from staging.block_intervals
  union
  select dataset, part, to_block as block from staging.block_intervals
),
pieces as (
  select
    dataset,
    part,
    block as from_block,
    lead(block) over (partition by dataset, part order by block) as to_block
  from borders
)
select p.dataset, p.part, p.from_block, p.to_block, arg_min(i.source, i.preference) as source
from pieces p
join staging.block_intervals i
  on i.dataset = p.dataset and i.part = p.part and i.from_block <= p.from_block and i.to_block >= p.to_block
group by p.dataset, p.part, p.from_block, p.to_block
