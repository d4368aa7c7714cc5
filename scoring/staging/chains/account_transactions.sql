-- A transaction that counts since an account of it was read by its address (`evm_accounts`), and the account. Its rows
-- count for such accounts alone: of the others in the transaction it would be a part of a history.
-- columns: chain, tx, account; block
with parties as (
  select chain, block, tx, sender as account
  from staging.transactions
  where source = 'evm_accounts'
  union
  select chain, block, tx, unnest([sender, recipient])
  from staging.transfers
  where source = 'evm_accounts'
  union
  select chain, block, tx, trader
  from staging.swaps
  where source = 'evm_accounts'
  union
  select chain, block, tx, sender
  from staging.user_operations
  where source = 'evm_accounts'
)
select distinct p.chain, p.tx, p.account, p.block
from parties p
join staging.account_blocks a
  on a.chain = p.chain and a.account = p.account and p.block >= a.from_block and p.block < a.to_block
