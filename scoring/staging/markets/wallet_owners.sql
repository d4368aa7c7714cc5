-- The owner of a wallet, by the first log up to the clock that names it.
-- columns: wallet; owner
select wallet, arg_min(owner, struct_pack(a := ts, b := tx)) as owner
from lake.wallet_owners
where ts <= (select as_of from core.clock)
group by wallet
