-- The part of a sale or transfer out that no lot covered: the wallet got these units before its history begins, or by a
-- way that is not read. `proceeds_usd` is their share of a sale's value less its gas. It is shown apart and is never a
-- profit, since its cost is not known. Transfers have no proceeds. Kinds are those of `core.disposals`.
-- columns: wallet, chain, token, block, tx_index, tx, seq, kind; ts, amount, proceeds_usd?
select
  w.wallet,
  k.chain,
  k.token,
  e.block,
  e.tx_index,
  e.tx,
  e.seq,
  case u.kind when 0 then 'sale' when 1 then 'transfer' when 2 then 'carry' else 'arbitrage' end as kind,
  e.ts,
  coalesce(u.wide, (u.high::hugeint * 1125899906842624 + u.low::hugeint)::varchar)::bignum as amount,
  case when not isnan(u.proceeds) then u.proceeds::bigint * 0.000001 end as proceeds_usd
from core.lot_unmatched u
join core.lot_wallets w on w.wallet_index = u.wallet_index
join core.lot_tokens k on k.token_index = u.token_index
join core.lot_events e on e.event_index = u.event_index
