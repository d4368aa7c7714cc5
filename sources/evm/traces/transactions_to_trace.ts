import { z } from 'zod'

import { time } from '#lake/columns.ts'
import type { LakeReader } from '#lake/reader.ts'
import type { Chain } from '#registry/chains/chain.ts'
import { transactionSources, unitsOfTransactions } from '#sources/evm/blocks/plan_observations.ts'
import type { Micros } from '#time.ts'

import type { TracedTransaction } from './read_traces.ts'

const zeroAddress = `0x${'0'.repeat(40)}`

const amount = z.string().transform(BigInt)
const rowShape = z
  .object({
    tx: z.string(),
    block: z.coerce.number(),
    tx_index: z.number(),
    ts_us: z.coerce.number(),
    sender: z.string(),
    recipient: z.string().nullable(),
    amount,
    wrapped: amount,
    unwrapped: amount,
  })
  .transform((row): StoredTransaction => row)

/** A stored transaction with its place, and what its rows show of the native coin. */
export type StoredTransaction = TracedTransaction & { block: number; tx_index: number; ts_us: number }

/**
 * The transactions that were sent, once each, with the amounts that the contract of the wrapped coin logged: an event of
 * its own, a Transfer of the zero address, or both. Each source may have a transaction.
 */
const stored = `
  with sent as (
    select block, tx_index, tx, ts, sender, recipient, amount, source from lake.transactions
    where source in ${transactionSources} and chain = $chain and is_ok
    qualify row_number() over (partition by block, tx order by source) = 1
  ),
  moves as (
    select distinct block, tx, log_index, kind, token, sender, recipient, amount from lake.transfers
    where source in ${transactionSources} and chain = $chain
  ),
  coins as (
    select
      block, tx,
      greatest(
        coalesce(sum(amount) filter (kind = 'wrap'), 0::bignum),
        coalesce(sum(amount) filter (kind = 'transfer' and sender = $zero), 0::bignum)
      ) as wrapped,
      greatest(
        coalesce(sum(amount) filter (kind = 'unwrap'), 0::bignum),
        coalesce(sum(amount) filter (kind = 'transfer' and recipient = $zero), 0::bignum)
      ) as unwrapped
    from moves where token = $wrapped group by block, tx
  ),
  facts as (
    select
      s.*, coalesce(c.wrapped, 0::bignum) as wrapped, coalesce(c.unwrapped, 0::bignum) as unwrapped
    from sent s left join coins c using (block, tx)
  )`

const columns =
  'tx, block, tx_index, epoch_us(ts) as ts_us, sender, recipient, amount::varchar as amount, ' +
  'wrapped::varchar as wrapped, unwrapped::varchar as unwrapped'

/**
 * The transactions in which native coin may have moved that no row shows, and that were not traced: another contract than
 * the sender unwrapped some, a pool that pays it without a log swapped, more or less was sent than was wrapped, or a
 * sender of tokens shows nothing that came back. Those of single accounts first, then the newest.
 */
export async function untracedTransactions(
  lake: LakeReader,
  { slug, wrapped }: Chain,
  { final, units, most }: { final: number; units: readonly string[]; most: number },
): Promise<StoredTransaction[]> {
  return lake.query(
    `${stored},
     swapped as (
       select distinct s.block, s.tx, s.family, s.pool from lake.swaps s
       where s.source in ${transactionSources} and s.chain = $chain
     ),
     pool_tokens as (
       select pool, bool_or(list_contains(tokens, 'native')) as has_native from lake.pools
       where chain = $chain group by pool
     ),
     hidden as (
       select distinct s.block, s.tx from swapped s left join pool_tokens p using (pool)
       where (s.family = 'uniswap_v4' or s.family like 'pancake_infinity%' or s.family like 'curve%')
         and coalesce(p.has_native, true)
     )
     select ${columns} from facts f
     where block < $final
       and not exists (from lake.calls c where c.chain = $chain and c.block = f.block and c.tx = f.tx)
       and not exists (from moves m where m.block = f.block and m.tx = f.tx and m.kind = 'internal')
       and (
         exists (
           from moves m where m.block = f.block and m.tx = f.tx and m.token = $wrapped and m.sender <> f.sender
             and (m.kind = 'unwrap' or (m.kind = 'transfer' and m.recipient = $zero))
         )
         or exists (from hidden h where h.block = f.block and h.tx = f.tx)
         or (
           amount <> wrapped and amount > 0::bignum and (
             exists (from swapped s where s.block = f.block and s.tx = f.tx)
             or exists (from moves m where m.block = f.block and m.tx = f.tx and m.recipient = f.sender)
           )
         )
         or (
           exists (from swapped s where s.block = f.block and s.tx = f.tx)
           and exists (from moves m where m.block = f.block and m.tx = f.tx and m.sender = f.sender)
           and not exists (from moves m where m.block = f.block and m.tx = f.tx and m.recipient = f.sender)
         )
       )
     order by source = 'evm_accounts' desc, block desc, tx_index
     limit ${most}`,
    rowShape,
    { chain: slug, wrapped: wrapped ?? '', zero: zeroAddress, final },
    { ...unitsOf(units), pools: poolUnits(slug), calls: [`evm_traces/${slug}/`] },
  )
}

/** Stored transactions by their hashes. One whose unit was read again may be gone. */
export const storedTransactions = (
  lake: LakeReader,
  { slug, wrapped }: Chain,
  hashes: readonly string[],
): Promise<StoredTransaction[]> =>
  lake.query(
    `${stored}
     select ${columns} from facts semi join (select unnest(string_split($hashes, ',')) as tx) using (tx)
     order by block desc, tx_index`,
    rowShape,
    { chain: slug, wrapped: wrapped ?? '', zero: zeroAddress, hashes: hashes.join() },
    unitsOf(unitsOfTransactions(slug)),
  )

/** The units with the tokens of pools. */
const poolUnits = (chain: string): string[] => [...unitsOfTransactions(chain), `evm_tokens/${chain}/`]

const unitsOf = (units: readonly string[]) => ({ transactions: units, transfers: units, swaps: units })

/** The transactions of a chain that were traced in observations from an instant on. */
export async function tracedSince(lake: LakeReader, chain: string, since: Micros): Promise<number> {
  const [row] = await lake.query(
    'select count(*) as n from lake.calls where chain = $chain and call_index = 0 and seen_at >= $since',
    z.object({ n: z.coerce.number() }),
    { chain, since: time.encode(since) },
    { calls: [`evm_traces/${chain}/`] },
  )
  return row?.n ?? 0
}
