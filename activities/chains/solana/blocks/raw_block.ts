import { dexPrograms } from '#activities/chains/solana/parse/programs.ts'
import { openSolanaRows, type SolanaBlock } from '#activities/chains/solana/rows.ts'
import type { PullResult, RowsOrColumns } from '#activities/source.ts'

/** A block as it was read and checked, with the transactions that are kept, as raw JSON-RPC. */
export type RawBlock = SolanaBlock & { transactions: { tx_index: number; body: unknown }[] }

const votePrograms: ReadonlySet<string> = new Set(['Vote111111111111111111111111111111111111111'])

type Fields = Record<string, unknown>
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null
const fieldOf = (value: unknown, name: string): unknown => (isFields(value) ? value[name] : undefined)

/**
 * The transactions of a block that are kept: those with a call of a program that trades, and of a chain that is read whole
 * all but votes. Of each only the fields that rows follow from.
 */
export function keptOf(transactions: readonly unknown[], isWhole: boolean): RawBlock['transactions'] {
  const kept: RawBlock['transactions'] = []
  for (let tx_index = 0; tx_index < transactions.length; tx_index++) {
    const body = transactions[tx_index]
    const [transaction, meta] = [fieldOf(body, 'transaction'), fieldOf(body, 'meta')]
    const message = fieldOf(transaction, 'message')
    // Programs are never writable, so that they stand among the own accounts or the read-only ones of a lookup table.
    const [own, loaded] = [fieldOf(message, 'accountKeys'), fieldOf(fieldOf(meta, 'loadedAddresses'), 'readonly')]
    const isDone = fieldOf(meta, 'err') === null && (hasAny(own, dexPrograms) || hasAny(loaded, dexPrograms))
    const isKept = isDone || (isWhole && !hasAny(own, votePrograms) && !hasAny(loaded, votePrograms))
    if (isKept) kept.push({ tx_index, body: trimmed(transaction, message, meta) })
  }
  return kept
}

function hasAny(keys: unknown, wanted: { has: (key: string) => boolean }): boolean {
  if (!Array.isArray(keys)) return false
  for (const key of keys as unknown[]) if (typeof key === 'string' && wanted.has(key)) return true
  return false
}

/** The fields of a transaction that rows follow from. */
export const trimmedOf = (body: unknown): unknown => {
  const transaction = fieldOf(body, 'transaction')
  return trimmed(transaction, fieldOf(transaction, 'message'), fieldOf(body, 'meta'))
}

/** A transaction of an unknown shape is kept as it is, so that it is rejected with its reason. */
const trimmed = (transaction: unknown, message: unknown, meta: unknown): unknown => {
  if (!isFields(transaction) || !isFields(message) || !isFields(meta)) return { transaction, meta }
  const { accountKeys, header, instructions } = message
  const { err, fee, preBalances, postBalances, preTokenBalances, postTokenBalances, innerInstructions } = meta
  return {
    transaction: { signatures: transaction['signatures'], message: { accountKeys, header, instructions } },
    meta: {
      err,
      fee,
      preBalances,
      postBalances,
      preTokenBalances,
      postTokenBalances,
      innerInstructions,
      loadedAddresses: meta['loadedAddresses'],
    },
  }
}

/** The rows of a unit, from its blocks alone. */
export function factsOf(blocks: readonly RawBlock[], to: number, proof: string): PullResult<RowsOrColumns> {
  const collected = openSolanaRows()
  for (const { transactions, ...block } of blocks) {
    collected.addBlock(block)
    for (const { tx_index, body } of transactions)
      collected.addTransaction(body, { block: block.block, tx_index, ts: block.ts })
  }
  return { ...collected.result(), to, state: 'complete', proof }
}
