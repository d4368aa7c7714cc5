-- The last balance that was read of a wallet's token, and the part of it that its lots explain after the same block.
-- The native coin and its wrapped form are one, `native`. Tokens whose balances change without a transfer
-- (`core.tokens.is_excluded`) are left out. A wallet without a trade has no lots, and no row.
--
--   amount_lots       the open lots after the block: all that came in up to it, less what the lots gave
--   amount_fees       fees that the wallet paid up to the block in transactions of the lake: no lot gives them
--   amount_untracked  amount + amount_fees - amount_lots: held, but by no movement that the lake has
--   amount_unmatched  the amount that left the wallet up to the block without a lot (`core.unmatched`)
--
-- An untracked amount came in before the history begins, or by a way that is not read. Below 0, more left the wallet
-- than the lake has. An unmatched amount was untracked before.
-- columns: wallet, chain, token; block, seen_at, amount, amount_lots, amount_fees, amount_untracked, amount_unmatched
with wallets as (
  select distinct wallet, chain
  from core.trades
),
read as (
  select
    b.address as wallet,
    b.chain,
    case when b.token = c.wrapped then 'native' else b.token end as token,
    b.block,
    b.seen_at,
    b.amount
  from staging.balances b
  join core.chains c on c.chain = b.chain
  semi join wallets w on w.wallet = b.address and w.chain = b.chain
),
-- The coin and its wrapped form are added only if they are of one block.
held as (
  select wallet, chain, token, block, any_value(seen_at) as seen_at, sum(amount) as amount
  from read
  group by wallet, chain, token, block
  qualify row_number() over (partition by wallet, chain, token order by block desc) = 1
),
numbered as (
  select h.wallet, h.chain, h.token, h.block, w.wallet_index, k.token_index
  from held h
  join core.lot_wallets w on w.wallet = h.wallet
  join core.lot_tokens k on k.chain = h.chain and k.token = h.token
),
acquired as (
  select a.*, n.wallet, n.chain, n.token
  from core.acquisitions a
  join numbered n on n.wallet_index = a.wallet_index and n.token_index = a.token_index and a.block <= n.block
),
-- What came in, what lots gave, and what left without a lot. Origins 0 and 3 are trades.
changes as (
  select wallet, chain, token, amount as came_in, 0::bignum as given, 0::bignum as unmatched
  from acquired
  where amount is not null
  union all
  select a.wallet, a.chain, a.token, t.amount_bought, 0::bignum, 0::bignum
  from core.trades t
  join acquired a
    on a.wallet = t.wallet and a.chain = t.chain and a.block = t.block and a.tx_index = t.tx_index and a.seq = t.seq
  where a.amount is null and a.origin in (0, 3)
  union all
  select a.wallet, a.chain, a.token, t.amount, 0::bignum, 0::bignum
  from core.transfers t
  join acquired a
    on a.wallet = t.wallet and a.chain = t.chain and a.block = t.block and a.tx_index = t.tx_index and a.seq = t.seq
    and a.token = t.token
  where a.amount is null and a.origin in (1, 2) and t.direction = 'in'
  union all
  select
    n.wallet,
    n.chain,
    n.token,
    0::bignum,
    coalesce(a.amount, (a.amount_high::hugeint * 1125899906842624 + a.amount_low)::bignum),
    0::bignum
  from core.allocations a
  join numbered n on n.wallet_index = a.wallet_index and n.token_index = a.token_index and a.block <= n.block
  union all
  select u.wallet, u.chain, u.token, 0::bignum, 0::bignum, u.amount
  from core.unmatched u
  join held h on h.wallet = u.wallet and h.chain = u.chain and h.token = u.token and u.block <= h.block
),
lots as (
  select wallet, chain, token, sum(came_in) - sum(given) as amount_lots, sum(unmatched) as amount_unmatched
  from changes
  group by wallet, chain, token
),
fees as (
  select h.wallet, h.chain, h.token, sum(t.amount_fee) as amount_fees
  from held h
  join staging.transactions t on t.sender = h.wallet and t.chain = h.chain and t.block <= h.block
  where h.token = 'native'
  group by h.wallet, h.chain, h.token
)
select
  h.wallet,
  h.chain,
  h.token,
  h.block,
  h.seen_at,
  h.amount,
  coalesce(l.amount_lots, 0::bignum) as amount_lots,
  coalesce(f.amount_fees, 0::bignum) as amount_fees,
  h.amount + coalesce(f.amount_fees, 0::bignum) - coalesce(l.amount_lots, 0::bignum) as amount_untracked,
  coalesce(l.amount_unmatched, 0::bignum) as amount_unmatched
from held h
left join lots l on l.wallet = h.wallet and l.chain = h.chain and l.token = h.token
left join fees f on f.wallet = h.wallet and f.chain = h.chain and f.token = h.token
left join core.tokens k on k.chain = h.chain and k.token = h.token
where not coalesce(k.is_excluded, false)
