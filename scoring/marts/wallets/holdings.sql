-- The last known tokens of a wallet, the most valuable first, as `/v1/wallet` serves them where the chain does not
-- answer. The amount is the last balance that was read (`staging.balances`), otherwise the rest of the lots; `seen_at`
-- is the time of the balance, or of the last movement. The native coin and its wrapped form are one, `native`. Tokens
-- without a price (`marts.token_prices`) are left out, and so is less than a cent.
-- columns: address, chain, rank; token, amount DOUBLE, usd_value DECIMAL(38,2), contract, amount_raw, decimals UTINYINT,
-- usd_per_token DOUBLE, seen_at
with observed as (
  select
    b.address,
    b.chain,
    case when b.token = c.wrapped then 'native' else b.token end as contract,
    sum(b.amount) as amount_raw,
    max(b.seen_at) as seen_at
  from staging.balances b
  join core.chains c on c.chain = b.chain
  group by b.address, b.chain, case when b.token = c.wrapped then 'native' else b.token end
),
moves as (
  select wallet, chain, token_bought as token, ts from core.trades
  union all
  select wallet, chain, token_sold, ts from core.trades
  union all
  select wallet, chain, token, ts from core.transfers
),
left_over as (
  select l.wallet as address, l.chain, l.token as contract, l.amount_raw, m.seen_at
  from (
    select
      w.wallet,
      k.chain,
      k.token,
      sum(coalesce(a.amount_left, (a.left_high::hugeint * 1125899906842624 + a.left_low)::bignum)) as amount_raw
    from core.acquisitions a
    join core.lot_wallets w on w.wallet_index = a.wallet_index
    join core.lot_tokens k on k.token_index = a.token_index
    group by w.wallet, k.chain, k.token
  ) l
  join (
    select wallet, chain, token, max(ts) as seen_at
    from moves
    group by wallet, chain, token
  ) m on m.wallet = l.wallet and m.chain = l.chain and m.token = l.token
),
held as (
  select * from observed
  union all
  select * from left_over l anti join observed o using (address, chain, contract)
),
valued as (
  select
    h.*,
    p.symbol,
    p.decimals,
    p.usd_per_token,
    try_cast(h.amount_raw::double / 10 ^ p.decimals * p.usd_per_token as decimal(38, 2)) as usd_value
  from held h
  join marts.token_prices p on p.chain = h.chain and p.token = h.contract
)
select
  address,
  chain,
  row_number() over (partition by address, chain order by usd_value desc, contract) as rank,
  coalesce(symbol, contract) as token,
  amount_raw::double / 10 ^ decimals as amount,
  usd_value,
  contract,
  amount_raw,
  decimals,
  usd_per_token,
  seen_at
from valued
where usd_value >= 0.01
