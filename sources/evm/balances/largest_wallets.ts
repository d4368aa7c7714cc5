import { z } from 'zod'

import { time } from '#lake/columns.ts'
import type { LakeReader } from '#lake/reader.ts'
import type { Chain } from '#registry/chains/chain.ts'
import { DAY, type Micros } from '#time.ts'

/** The wallets of a chain whose balances are read each day, beside those that the setting names. */
export const mostWallets = 200
/** Their volume is that of so many days, and the last of their swaps is so many days old at most. */
export const volume_days = 30
export const active_days = 7

/**
 * The largest wallets of a chain that still trade: those that moved the most of its dollars, and of its coin, in
 * transactions with a swap. The two orders take turns, since the lake has no prices.
 */
export async function largestWallets(
  lake: LakeReader,
  { slug, stables, wrapped }: Chain,
  at: Micros,
): Promise<string[]> {
  const under = [`evm_swaps/${slug}/`]
  const rows = await lake.query(
    byVolume,
    z.object({ wallet: z.string() }),
    {
      chain: slug,
      stables: stables.join(),
      wrapped: wrapped ?? 'native',
      since: time.encode(at - volume_days * DAY),
      recent: time.encode(at - active_days * DAY),
    },
    { swaps: under, transactions: under, transfers: under, user_operations: under },
  )
  return rows.map(({ wallet }) => wallet)
}

/** Traders are the senders of swaps and of operations of ERC-4337 with one, and the traders that events name. */
const byVolume = `
with events as (
  select block, tx_index, ts, trader from lake.swaps
  where source = 'evm_swaps' and chain = $chain and ts >= $since
),
swapped as (
  select distinct block, tx_index from events
),
sent as (
  select t.sender, t.amount, t.ts from lake.transactions t semi join swapped s using (block, tx_index)
  where t.source = 'evm_swaps' and t.chain = $chain and t.ts >= $since
),
traders as (
  select sender as wallet, ts from sent
  union all
  select o.sender, o.ts from lake.user_operations o semi join swapped s using (block, tx_index)
  where o.source = 'evm_swaps' and o.chain = $chain and o.ts >= $since
  union all
  select trader, ts from events where trader is not null
),
active as (
  select wallet from traders group by wallet having max(ts) >= $recent
),
money as (
  select unnest(string_split($stables, ',')) as token, true as is_dollar
  union all
  select unnest(['native', $wrapped]), false
),
paid as (
  select m.sender, m.recipient, m.token, d.is_dollar, m.amount
  from lake.transfers m
  join money d on d.token = m.token
  semi join swapped s on s.block = m.block and s.tx_index = m.tx_index
  where m.source = 'evm_swaps' and m.chain = $chain and m.ts >= $since
),
moved as (
  select sender as wallet, token, is_dollar, amount from paid
  union all
  select recipient, token, is_dollar, amount from paid
  union all
  select sender, 'native', false, amount from sent
),
sums as (
  select v.wallet, v.token, v.is_dollar, sum(v.amount) as amount
  from moved v semi join active a using (wallet)
  group by v.wallet, v.token, v.is_dollar
),
scales as (
  select token, max(decimals) as decimals from lake.tokens where chain = $chain group by token
),
volumes as (
  select
    s.wallet,
    sum(try_cast(s.amount::double / 10 ^ k.decimals as decimal(38, 2))) filter (s.is_dollar) as dollars,
    sum(s.amount) filter (not s.is_dollar) as coins
  from sums s left join scales k on k.token = s.token
  group by s.wallet
),
ranked as (
  select
    a.wallet,
    -- A wallet that moved nothing has no place in an order.
    case when v.dollars > 0 then row_number() over (order by v.dollars desc nulls last, a.wallet) end as by_dollars,
    case when v.coins > 0::bignum then row_number() over (order by v.coins desc nulls last, a.wallet) end as by_coins
  from active a left join volumes v using (wallet)
)
select wallet from ranked order by least(by_dollars, by_coins) nulls last, by_dollars nulls last, wallet limit ${mostWallets}`
