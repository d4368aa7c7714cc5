-- The addresses of a trader. A wallet and its owner are one trader, and so are all wallets of an owner
-- (`staging.wallet_owners`). The trader has the name of the address that traded or moved shares first. An address without
-- a known owner is a trader by itself. An owner is listed also if it did nothing. `trader_index` is the number of the
-- trader, in the order of the names.
-- columns: wallet; trader, trader_index, owner?
with seen as (
  select trader as wallet, min(ts) as first_at
  from staging.fills
  group by trader
  union all
  select trader, min(ts)
  from staging.activity
  group by trader
),
active as (
  select s.wallet, min(s.first_at) as first_at, any_value(w.owner) as owner
  from seen s
  left join staging.wallet_owners w on w.wallet = s.wallet
  group by s.wallet
),
owners as (
  select coalesce(owner, wallet) as owner, arg_min(wallet, struct_pack(a := first_at, b := wallet)) as trader
  from active
  group by coalesce(owner, wallet)
),
addresses as (
  select wallet, owner, coalesce(owner, wallet) as person
  from active
  union all
  select distinct owner, null, owner
  from active
  where owner is not null and owner not in (select wallet from active)
)
select
  a.wallet,
  o.trader,
  dense_rank() over (order by o.trader) - 1 as trader_index,
  a.owner
from addresses a
join owners o on o.owner = a.person
