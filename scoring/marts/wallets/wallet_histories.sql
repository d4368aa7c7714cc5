-- How much of the history of an account on a chain was read by its address (`evm_accounts`): without a gap from the last
-- block that was read back to `since_block`. Stretches are read newest first, so that it grows to the whole history.
--
--   state     complete: to the start of the history; budget: the account has too many transactions, and older ones are
--             left out; unproved: to the start, but of some blocks no second endpoint has the same logs; growing: older
--             stretches are read next
--   since_at  the time of since_block; null of a whole history, or if it is unknown.
-- columns: address, chain; since_block, to_block, since_at?, read_at, state
with stretches as (
  select
    a.chain,
    a.account as address,
    a.from_block,
    a.to_block,
    a.is_proved,
    c.reason_code = 'budget' as is_cut,
    c.checked_at,
    case
      when c.from_block > 0 or a.from_block > 0 then to_timestamp((c.resume::json ->> 'from_s')::bigint)::timestamp
    end as from_at,
    coalesce(a.to_block < min(a.from_block) over newer, false) as is_after_gap
  from staging.account_blocks a
  join lake.coverage c
    on c.source = 'evm_accounts' and c.dataset = 'transactions' and c.part = a.chain and c.key = a.account
    and c.to_block = a.to_block
  window newer as (
    partition by a.chain, a.account order by a.to_block desc rows between unbounded preceding and 1 preceding
  )
),
reached as (
  select *
  from stretches
  qualify not bool_or(is_after_gap) over (
    partition by chain, address order by to_block desc rows between unbounded preceding and current row
  )
)
select
  address,
  chain,
  min(from_block) as since_block,
  max(to_block) as to_block,
  case when min(from_block) > 0 then arg_min(from_at, from_block) end as since_at,
  arg_max(checked_at, to_block) as read_at,
  case
    when bool_or(coalesce(is_cut, false)) then 'budget'
    when min(from_block) > 0 then 'growing'
    when bool_and(is_proved) then 'complete'
    else 'unproved'
  end as state
from reached
group by address, chain
