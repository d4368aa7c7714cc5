-- A stretch of blocks in which all token movements of an account were read by its address (`evm_accounts`), `to_block`
-- exclusive. Where the budget of the account ended, the stretch begins with the first block that was read.
-- columns: chain, account, from_block; to_block, is_proved
select
  part as chain,
  key as account,
  case
    when reason_code = 'budget' then coalesce((resume::json ->> 'cut')::bigint, to_block)
    else from_block
  end as from_block,
  to_block,
  state in ('done', 'head') as is_proved
from lake.coverage
where source = 'evm_accounts' and dataset = 'transactions' and key <> ''
  and state in ('done', 'head', 'unverified', 'quarantined')
