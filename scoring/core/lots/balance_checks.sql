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
places as (
  select t.wallet, t.chain, t.tx, t.block
  from core.trades t
  semi join held h on h.wallet = t.wallet and h.chain = t.chain
  union
  select t.wallet, t.chain, t.tx, t.block
  from core.transfers t
  semi join held h on h.wallet = t.wallet and h.chain = t.chain
),
changes as (
  select l.wallet, l.chain, l.token, p.block, l.amount as came_in, 0::bignum as given, 0::bignum as unmatched
  from core.lots l
  join places p on p.wallet = l.wallet and p.chain = l.chain and p.tx = l.tx
  union all
  select wallet, chain, token, block, 0::bignum, amount, 0::bignum
  from core.disposals
  union all
  select wallet, chain, token, block, 0::bignum, 0::bignum, amount
  from core.unmatched
),
lots as (
  select
    h.wallet,
    h.chain,
    h.token,
    sum(c.came_in) - sum(c.given) as amount_lots,
    sum(c.unmatched) as amount_unmatched
  from held h
  join changes c on c.wallet = h.wallet and c.chain = h.chain and c.token = h.token and c.block <= h.block
  group by h.wallet, h.chain, h.token
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
