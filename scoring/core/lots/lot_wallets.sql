-- The number of a wallet, in the order of the addresses. `cluster_index` is the number of the first wallet with the
-- same owner (`core.owners`); a wallet without a known owner is its own.
-- columns: wallet_index; wallet, cluster_index
with wallets as (
  select wallet
  from core.trades
  union
  select wallet
  from core.transfers
),
numbered as (
  select row_number() over (order by wallet) - 1 as wallet_index, wallet
  from wallets
)
select
  wallet_index,
  wallet,
  min(wallet_index) over (partition by coalesce(o.owner, n.wallet)) as cluster_index
from numbered n
left join core.owners o on o.address = n.wallet
