-- The part of a sale or transfer out that one lot gave: the oldest lots give first. `proceeds_usd` and `gas_usd` are the
-- lot's shares, by amount, of the sale's value and gas, `cost_usd` its share of the lot's cost; each share is rounded
-- half to even in millionths of a dollar, and the last one takes the rest. `pnl_usd` = proceeds - gas - cost.
--
-- A transfer, and a carry to another address of the same owner, remove lots at cost and realize nothing: their
-- `proceeds_usd` and `pnl_usd` are null. So is the result of a sale without a value, or of a lot without a cost.
-- The realized result of a wallet is the sum of `pnl_usd`.
--
-- `is_ranked`: the sold token was priced at the sale by at least 2 pools or 3 senders, was not thin, and could be sold for
-- these proceeds within a day (`core.prices`). Results that are not ranked count in no list.
-- columns: wallet, chain, token, block, tx_index, tx, seq, lot, kind; ts, amount, proceeds_usd?, cost_usd?, gas_usd,
-- pnl_usd?, held_s, is_ranked
with named as (
  select
    w.wallet,
    k.chain,
    k.token,
    e.block,
    e.tx_index,
    e.tx,
    e.seq,
    d.lot,
    case d.kind when 0 then 'sale' when 1 then 'transfer' when 2 then 'carry' else 'arbitrage' end as kind,
    e.ts,
    coalesce(d.wide, (d.high::hugeint * 1125899906842624 + d.low::hugeint)::varchar)::bignum as amount,
    case when not isnan(d.proceeds) then d.proceeds::bigint * 0.000001 end as proceeds_usd,
    case when not isnan(d.cost) then d.cost::bigint * 0.000001 end as cost_usd,
    d.gas::bigint * 0.000001 as gas_usd,
    (epoch_us(e.ts) - d.since::bigint) // 1000000 as held_s,
    time_bucket(interval 5 minutes, e.ts) as priced_at
  from core.lot_disposals d
  join core.lot_wallets w on w.wallet_index = d.wallet_index
  join core.lot_tokens k on k.token_index = d.token_index
  join core.lot_events e on e.event_index = d.event_index
)
select
  n.wallet,
  n.chain,
  n.token,
  n.block,
  n.tx_index,
  n.tx,
  n.seq,
  n.lot,
  n.kind,
  n.ts,
  n.amount,
  n.proceeds_usd,
  n.cost_usd,
  n.gas_usd,
  n.proceeds_usd - n.gas_usd - n.cost_usd as pnl_usd,
  n.held_s,
  coalesce(
    (p.n_pools >= 2 or p.n_senders >= 3) and not p.is_thin and p.depth_usd >= n.proceeds_usd,
    false
  ) as is_ranked
from named n
left join core.prices p on p.chain = n.chain and p.token = n.token and p.ts = n.priced_at
