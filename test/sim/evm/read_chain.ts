import { toRows } from '#lake/units/column_batch.ts'
import type { ChainFacts, SwapFact, Trade, TransactionFacts, TransferFact } from '#scoring/core/trades/flows/facts.ts'
import { flowsOf } from '#scoring/core/trades/flows/net_flows.ts'
import { tradesOf } from '#scoring/core/trades/flows/trades.ts'
import type { EvmWorld } from '#sim/evm/world.ts'
import { openSwapBatch } from '#sources/evm/blocks/swap_batch.ts'

/** A trade that the decoders and the rule of trades find, with its place. */
export type Found = Trade & { block: number; tx: string }
export type Row = Record<string, unknown> & { tx: string; block: number }
/** Rows of the lake by dataset. Amounts are whole numbers. */
export type ChainRows = Record<'transactions' | 'swaps' | 'transfers' | 'user_operations' | 'pools', readonly Row[]>

/** Reads every block of a world's node, and decodes its transactions as the source of chains does. */
export async function tradesOnChain({ rpc, head }: EvmWorld): Promise<Found[]> {
  const collection = openSwapBatch(new Set())
  for (let block = 1; block <= head(); block++) {
    const number = `0x${block.toString(16)}`
    const [read, receipts] = await rpc.batch([
      ['eth_getBlockByNumber', number, true],
      ['eth_getBlockReceipts', number],
    ])
    const { transactions, timestamp } = read as { transactions: unknown[]; timestamp: string }
    const at = { chain: 'ethereum', ts: Number(timestamp) * 1_000_000 }
    for (const [n, transaction] of transactions.entries()) {
      collection.addTransaction(at, { transaction, receipt: (receipts as unknown[])[n] })
    }
  }
  if (collection.rejected.length > 0) throw new Error(`rejected: ${collection.rejected[0]?.reason}`)
  const rows = Object.entries(collection.rows()).map(([name, batch]) => [name, toRows(batch)])
  return tradesIn(Object.fromEntries(rows) as ChainRows)
}

/** The trades of rows, by the rule of trades. */
export function tradesIn(rows: ChainRows): Found[] {
  const byTx = <T extends Row>(of: readonly T[]): Map<string, T[]> => {
    const groups = new Map<string, T[]>()
    for (const row of of) groups.set(row.tx, [...(groups.get(row.tx) ?? []), row])
    return groups
  }
  const [swaps, transfers, operations] = [byTx(rows.swaps), byTx(rows.transfers), byTx(rows.user_operations)]
  const pools = new Map(rows.pools.map(({ pool, tokens }) => [String(pool), tokens as string[]]))
  const chain: ChainFacts = {
    wrapped: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
    tokensOf: (pool) => pools.get(pool),
    isPlain: () => false,
    isContract: () => undefined,
    usdOf: () => null,
  }
  return rows.transactions.flatMap((row) => {
    const facts = {
      ...(row as unknown as Pick<TransactionFacts, 'sender' | 'recipient' | 'amount' | 'is_ok'>),
      is_traced: false,
      swaps: (swaps.get(row.tx) ?? []) as unknown as SwapFact[],
      transfers: (transfers.get(row.tx) ?? []) as unknown as TransferFact[],
      operations: (operations.get(row.tx) ?? []) as unknown as TransactionFacts['operations'],
    }
    return tradesOf(facts, flowsOf(facts, chain), chain).map((trade) => ({ ...trade, block: row.block, tx: row.tx }))
  })
}
