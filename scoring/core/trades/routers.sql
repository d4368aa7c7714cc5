-- A contract that transactions send native coin to and that wraps it, such as the router of an exchange, and the share of
-- them in which it wraps exactly that amount. A contract that keeps a fee of the coin wraps less.
--
-- `is_plain`: at least 20 transactions, and at least 95 % of them exact; the rest are refunds. What such a contract
-- unwraps goes to the wallet, also where no row shows that.
-- columns: chain, router; n_sent, n_exact, is_plain
with wrapped as (
  select chain, block, tx, recipient as router, sum(amount) as amount
  from staging.transfers
  where kind = 'wrap'
  group by chain, block, tx, recipient
),
sent as (
  select t.chain, t.recipient as router, w.amount = t.amount as is_exact
  from staging.transactions t
  join wrapped w on w.chain = t.chain and w.block = t.block and w.tx = t.tx and w.router = t.recipient
  where t.is_ok and t.amount > 0::bignum
)
select
  chain,
  router,
  count(*) as n_sent,
  count(*) filter (is_exact) as n_exact,
  count(*) >= 20 and count(*) filter (is_exact) >= 0.95 * count(*) as is_plain
from sent
group by chain, router
