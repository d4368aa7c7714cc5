-- The gas of a transaction that a wallet sent and in which it did not trade: failed, an approval, a transfer. It is
-- shown apart from results. A transaction that was read by an account counts if that account sent it. `gas_usd` is the fee at the price of the chain's coin, null without one.
-- columns: wallet, chain, tx; ts, is_ok, gas_usd?
with fees as (
  select t.sender as wallet, t.chain, t.tx, t.ts, t.is_ok, t.amount_fee
  from staging.transactions t
  where not exists (from core.trades d where d.wallet = t.sender and d.chain = t.chain and d.tx = t.tx)
    and (
      t.source <> 'evm_accounts'
      or exists (from staging.account_transactions a where a.chain = t.chain and a.tx = t.tx and a.account = t.sender)
    )
)
select
  f.wallet,
  f.chain,
  f.tx,
  f.ts,
  f.is_ok,
  case when f.ts < p.to_at then try_cast(f.amount_fee::double * p.usd_per_unit as decimal(38, 6)) end as gas_usd
from fees f
asof left join core.unit_prices p on p.chain = f.chain and p.token = 'native' and p.ts <= f.ts
