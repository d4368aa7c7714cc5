-- A movement of a trading wallet's token that is no trade: its net movement in a transaction (`core.flows`), less the
-- legs of its trades. A wallet that never traded has none, unless its owner has another one that did.
--
--   basis         carry: between two wallets of one owner, so that the lots move; market: at the market value at the
--                 time; unpriced: without one
--   counterparty  the other side of the largest movement, or empty
--   usd           the amount at its price (`core.unit_prices`), null if unpriced
--   seq           -1 for what came in, so that it is there for the trades of the transaction; for what went out, the
--                 number of the wallet's trades in it. A carry has the number of the sender's trades, or a later one.
-- columns: wallet, chain, block, tx_index, tx, seq, token; ts, direction, amount, counterparty, usd?, basis
with owners as (
  select distinct l.wallet, coalesce(o.owner, l.wallet) as owner
  from core.trade_legs l
  left join core.owners o on o.address = l.wallet
),
wallets as (
  select wallet, owner from owners
  union
  select o.address, o.owner
  from core.owners o
  semi join owners w on w.owner = o.owner
  union
  select owner, owner from owners
),
moved as (
  select f.*
  from (from core.flows union all from core.other_flows) f
  semi join wallets w on w.wallet = f.wallet
),
legs as (
  select wallet, chain, block, tx_index, tx, ts, token_sold as token, amount_sold as amount from core.trades
  union all
  select wallet, chain, block, tx_index, tx, ts, token_bought, -amount_bought from core.trades
),
net as (
  select
    wallet, chain, block, tx_index, tx, token,
    any_value(ts) as ts,
    sum(amount) as amount,
    coalesce(min(counterparty) filter (counterparty <> ''), '') as counterparty
  from (
    select wallet, chain, block, tx_index, tx, token, ts, amount, counterparty from moved
    union all
    select wallet, chain, block, tx_index, tx, token, ts, amount, '' from legs
  )
  group by wallet, chain, block, tx_index, tx, token
),
trades as (
  select wallet, chain, block, tx, count(*) as n_trades
  from core.trades
  group by wallet, chain, block, tx
),
-- Movements between wallets of one owner. The native coin is also sent with a transaction, which the logs of its
-- contract show again on chains that have one.
direct as (
  select
    t.chain, t.block, t.tx_index, t.tx, t.ts, t.sender, t.recipient,
    case when t.token = c.wrapped then 'native' else t.token end as token,
    t.amount,
    t.source
  from staging.transfers t
  join core.chains c on c.chain = t.chain
  semi join staging.transactions x on x.chain = t.chain and x.block = t.block and x.tx = t.tx and x.is_ok
  where t.kind in ('transfer', 'internal')
  union all
  select x.chain, x.block, x.tx_index, x.tx, x.ts, x.sender, x.recipient, 'native', x.amount, x.source
  from staging.transactions x
  anti join (select * from staging.transfers where kind = 'internal' and log_index >= 0) l
    on l.chain = x.chain and l.block = x.block and l.tx = x.tx
  where x.is_ok and x.amount > 0::bignum
),
carried as (
  select
    d.chain, d.block, d.tx_index, d.tx, d.sender, d.recipient, d.token,
    any_value(d.ts) as ts,
    sum(d.amount) as amount
  from direct d
  join wallets s on s.wallet = d.sender
  join wallets r on r.wallet = d.recipient and r.owner = s.owner and r.wallet <> s.wallet
  -- Lots move only between two accounts whose histories have the transaction.
  where d.source <> 'evm_accounts'
    or (
      exists (from staging.account_transactions a where a.chain = d.chain and a.tx = d.tx and a.account = d.sender)
      and exists (from staging.account_transactions a where a.chain = d.chain and a.tx = d.tx and a.account = d.recipient)
    )
  group by d.chain, d.block, d.tx_index, d.tx, d.sender, d.recipient, d.token
),
numbered as (
  select
    c.*,
    coalesce(t.n_trades, 0) + row_number() over (partition by c.chain, c.block, c.tx, c.token order by c.sender, c.recipient)
      as seq
  from carried c
  left join trades t on t.wallet = c.sender and t.chain = c.chain and t.block = c.block and t.tx = c.tx
),
carries as (
  select
    recipient as wallet, chain, block, tx_index, tx, seq, token, ts, 'in' as direction, amount, sender as counterparty,
    -amount as given
  from numbered
  union all
  select sender, chain, block, tx_index, tx, seq, token, ts, 'out', amount, recipient, amount
  from numbered
),
-- A wallet that carries on all that it got has no net movement.
rests as (
  select
    wallet, chain, block, tx_index, tx, token,
    any_value(ts) as ts,
    coalesce(max(counterparty), '') as counterparty,
    sum(amount) as amount
  from (
    from net
    union all by name
    select wallet, chain, block, tx_index, tx, token, ts, given as amount from carries
  )
  group by wallet, chain, block, tx_index, tx, token
),
all_moves as (
  select wallet, chain, block, tx_index, tx, seq, token, ts, direction, amount, counterparty, true as is_carry
  from carries
  union all
  select
    r.wallet, r.chain, r.block, r.tx_index, r.tx,
    case when r.amount > 0::bignum then -1 else coalesce(t.n_trades, 0) end,
    r.token,
    r.ts,
    case when r.amount > 0::bignum then 'in' else 'out' end,
    case when r.amount > 0::bignum then r.amount else -r.amount end,
    r.counterparty,
    false
  from rests r
  left join trades t on t.wallet = r.wallet and t.chain = r.chain and t.block = r.block and t.tx = r.tx
  where r.amount <> 0::bignum
),
valued as (
  select
    m.*,
    case when m.ts < p.to_at then m.amount::double * p.usd_per_unit end as value
  from all_moves m
  asof left join core.unit_prices p on p.chain = m.chain and p.token = m.token and p.ts <= m.ts
)
select
  wallet,
  chain,
  block,
  tx_index,
  tx,
  seq,
  token,
  ts,
  direction,
  amount,
  counterparty,
  case when value < 2000000000 then value::decimal(38, 6) end as usd,
  case when is_carry then 'carry' when value < 2000000000 then 'market' else 'unpriced' end as basis
from valued
