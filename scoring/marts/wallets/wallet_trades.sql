-- The last 200 trades of a wallet on a chain within 30 days of the clock, the newest first, the detail of `marts.wallet`.
-- Amounts are whole units, null where the decimals of the token are not known. `pnl` is the ranked result of the sale,
-- null for a purchase and for a result that is not ranked. All trades are in `core.trades`.
-- columns: address, chain, rank; ts, tx, kind, sold_token, sold_symbol?, sold_amount? DOUBLE, bought_token, bought_symbol?,
-- bought_amount? DOUBLE, value? DECIMAL(38,2), gas DECIMAL(38,2), pnl? DECIMAL(38,2), protocol
with ranked as (
  select
    t.*,
    row_number() over (
      partition by t.wallet, t.chain order by t.ts desc, t.block desc, t.tx_index desc, t.tx desc, t.seq desc
    ) as rank
  from core.trades t
  cross join core.clock c
  where t.ts > c.as_of - interval 720 hours
),
recent as (
  select * from ranked where rank <= 200
),
results as (
  select a.wallet_index, k.chain, a.block, a.tx_index, a.seq, sum(a.pnl_millionths * 0.000001) as pnl_usd
  from core.allocations a
  join core.lot_tokens k on k.token_index = a.token_index
  cross join core.clock c
  where a.kind in (0, 3) and a.is_ranked and a.ts > c.as_of - interval 720 hours
  group by a.wallet_index, k.chain, a.block, a.tx_index, a.seq
)
select
  r.wallet as address,
  r.chain,
  r.rank,
  r.ts,
  r.tx,
  r.kind,
  r.token_sold as sold_token,
  s.symbol as sold_symbol,
  r.amount_sold::double / 10 ^ s.decimals as sold_amount,
  r.token_bought as bought_token,
  b.symbol as bought_symbol,
  r.amount_bought::double / 10 ^ b.decimals as bought_amount,
  r.usd::decimal(38, 2) as value,
  r.gas_usd::decimal(38, 2) as gas,
  p.pnl_usd::decimal(38, 2) as pnl,
  r.protocol
from recent r
left join core.lot_wallets w on w.wallet = r.wallet
left join results p
  on p.wallet_index = w.wallet_index and p.chain = r.chain and p.block = r.block and p.tx_index = r.tx_index
  and p.seq = r.seq
left join core.tokens s on s.chain = r.chain and s.token = r.token_sold
left join core.tokens b on b.chain = r.chain and b.token = r.token_bought
