-- A trade of one wallet in one transaction: one asset down, one up (docs/wallets/evm-trades.md). Two stables, or the
-- share of a pool or a vault, make no trade: the movements are transfers then.
--
--   usd         the value of the most trusted leg at its price (`core.unit_prices`): a stable, then the coin, then
--               another token; of two alike legs the bought one. Null without a priced leg, or from 2 billion on
--   usd_method  stable, coin or price: the leg that gave the value, or none
--   gas_usd     the fee of the transaction, the fee of a rollup included, if the wallet sent it; or what its own
--               operations were charged without a paymaster. It counts at the first trade of the wallet in the
--               transaction. 0 without a price of the coin
--   is_self     another wallet of the same owner traded the reverse in the same transaction
--   is_bound    a leg in the native coin is a bound: no row shows it, and a router or a maker may have got a part
--   is_certain  the movements have no other reading, such as a loan, a deposit or a claim for a payment
--   is_countable  its results count in lists: it is certain, and no leg is a bound.
-- columns: wallet, chain, block, tx_index, tx, seq; ts, kind, token_sold, amount_sold, token_bought, amount_bought, usd?,
-- usd_method, gas_usd, protocol, n_swaps, is_self, is_bound, is_certain, is_countable
with legs as (
  select
    l.*,
    coalesce(s.kind, 'other') as sold_kind,
    coalesce(b.kind, 'other') as bought_kind,
    coalesce(o.owner, l.wallet) as owner
  from core.trade_legs l
  left join core.tokens s on s.chain = l.chain and s.token = l.token_sold
  left join core.tokens b on b.chain = l.chain and b.token = l.token_bought
  left join core.owners o on o.address = l.wallet
),
trades as (
  select
    *,
    case sold_kind when 'stable' then 3 when 'native' then 2 else 1 end as sold_trust,
    case bought_kind when 'stable' then 3 when 'native' then 2 else 1 end as bought_trust,
    row_number() over (partition by chain, block, tx, wallet order by seq) = 1 as is_first
  from legs
  where kind = 'arbitrage'
    or not (
      (sold_kind = 'stable' and bought_kind = 'stable')
      or sold_kind in ('lp', 'receipt')
      or bought_kind in ('lp', 'receipt')
    )
),
sold as (
  select
    t.*,
    case when t.ts < p.to_at then t.amount_sold::double * p.usd_per_unit end as sold_usd
  from trades t
  asof left join core.unit_prices p on p.chain = t.chain and p.token = t.token_sold and p.ts <= t.ts
),
valued as (
  select
    t.*,
    case when t.ts < p.to_at then t.amount_bought::double * p.usd_per_unit end as bought_usd
  from sold t
  asof left join core.unit_prices p on p.chain = t.chain and p.token = t.token_bought and p.ts <= t.ts
),
chosen as (
  select
    *,
    -- Without a price of the more trusted leg, the other one counts.
    case
      when bought_usd is null then sold_usd
      when sold_usd is null or bought_trust >= sold_trust then bought_usd
      else sold_usd
    end as value,
    case
      when bought_usd is null and sold_usd is null then 0
      when bought_usd is null then sold_trust
      when sold_usd is null then bought_trust
      else greatest(sold_trust, bought_trust)
    end as trust
  from valued
),
fees as (
  select chain, block, tx, sender as wallet, amount_fee
  from staging.transactions
  union all
  select chain, block, tx, sender, amount_fee
  from staging.user_operations
  where paymaster = '0x0000000000000000000000000000000000000000'
),
gas as (
  select chain, block, tx, wallet, sum(amount_fee) as amount
  from fees
  semi join trades using (chain, block, tx, wallet)
  group by chain, block, tx, wallet
)
select
  c.wallet,
  c.chain,
  c.block,
  c.tx_index,
  c.tx,
  c.seq,
  c.ts,
  c.kind,
  c.token_sold,
  c.amount_sold,
  c.token_bought,
  c.amount_bought,
  case when c.value < 2000000000 then c.value::decimal(38, 6) end as usd,
  case when c.value < 2000000000 then ['none', 'price', 'coin', 'stable'][c.trust + 1] else 'none' end as usd_method,
  coalesce(
    case when c.is_first and c.ts < p.to_at then try_cast(g.amount::double * p.usd_per_unit as decimal(38, 6)) end,
    0
  ) as gas_usd,
  c.protocol,
  c.n_swaps,
  exists (
    from legs r
    where r.chain = c.chain and r.block = c.block and r.tx = c.tx and r.owner = c.owner and r.wallet <> c.wallet
      and r.token_sold = c.token_bought and r.token_bought = c.token_sold
  ) as is_self,
  c.is_bound,
  c.is_certain,
  c.is_certain and not c.is_bound as is_countable
from chosen c
left join gas g on g.chain = c.chain and g.block = c.block and g.tx = c.tx and g.wallet = c.wallet
asof left join core.unit_prices p on p.chain = c.chain and p.token = 'native' and p.ts <= c.ts
