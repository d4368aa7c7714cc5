-- The certain trades of the last hour on chains by wallets of `metrics.signal_wallets`, with the chance of a trade of
-- that size (`p`; 1 below the wallet's threshold). A trade for a token that is as much like money as the one sold, or
-- less, is an entry into the token bought; another is an exit from the token sold. A stable is more like money than the
-- coin of the chain, and the coin more than any other token. `symbol` is the tracked asset that the token is.
-- columns: wallet, chain, tx, token, direction; ts, usd, confidence, label, symbol?, archetype, p DOUBLE
with recent as (
  select
    t.wallet,
    t.chain,
    t.tx,
    t.ts,
    t.usd,
    b.moneyness <= s.moneyness as is_entry,
    if(b.moneyness <= s.moneyness, t.token_bought, t.token_sold) as token
  from core.trades t
  join core.lot_tokens b on b.chain = t.chain and b.token = t.token_bought
  join core.lot_tokens s on s.chain = t.chain and s.token = t.token_sold
  cross join core.clock c
  where t.kind = 'swap' and t.is_certain and not t.is_self and t.usd > 0 and t.ts > c.as_of - interval 1 hour and t.ts <= c.as_of
),
trades as (
  select wallet, chain, tx, token, is_entry, max(ts) as ts, sum(usd) as usd
  from recent
  group by wallet, chain, tx, token, is_entry
),
named as (
  select unnest(tokens) as token, symbol
  from core.assets
),
-- A token has one asset.
symbols as (
  select token, min(symbol) as symbol
  from named
  group by token
)
select
  t.wallet,
  t.chain,
  t.tx,
  t.token,
  if(t.is_entry, 'entry', 'exit') as direction,
  t.ts,
  t.usd,
  w.confidence,
  coalesce(k.symbol, t.token) as label,
  coalesce(n.symbol, a.symbol) as symbol,
  w.archetype,
  case
    when t.usd < w.threshold_usd then 1
    else w.tail_share::double
      * power(w.tail_scale / (w.tail_scale + ln(t.usd::double / w.threshold_usd::double)), w.tail_shape)
  end as p
from trades t
join metrics.signal_wallets w on w.wallet = t.wallet and w.chain = t.chain
left join core.tokens k on k.chain = t.chain and k.token = t.token
left join symbols n on n.token = t.chain || ':' || t.token
left join core.assets a on t.token = 'native' and a.symbol = k.symbol
