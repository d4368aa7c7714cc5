import type { ReadResult, RowsOrColumns } from '#ingest/source.ts'
import { parseExactJson } from '#sources/solana/parse/exact_json.ts'
import { dexPrograms } from '#sources/solana/parse/programs.ts'
import { openSolanaRows, type SolanaBlock } from '#sources/solana/rows.ts'

import type { TransactionText } from './transaction_texts.ts'

/** A transaction that is kept, as raw JSON-RPC. */
export type KeptTransaction = { tx_index: number; body: unknown }

/** A block as it was read and checked, with the transactions that are kept. */
export type RawBlock = SolanaBlock & { transactions: Iterable<KeptTransaction> }

const votePrograms: ReadonlySet<string> = new Set(['Vote111111111111111111111111111111111111111'])

type Fields = Record<string, unknown>
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null
const fieldOf = (value: unknown, name: string): unknown => (isFields(value) ? value[name] : undefined)

/**
 * The transactions of a block that are kept: those with a call of a program that trades, and of a chain that is read
 * whole all but votes. Of each only the fields that rows follow from. Each is parsed when it is asked for.
 */
export function* keptOf(transactions: readonly TransactionText[], isWhole: boolean): Generator<KeptTransaction> {
  for (let tx_index = 0; tx_index < transactions.length; tx_index++) {
    const listed = transactions[tx_index]
    if (listed === undefined || !(listed.isDex || isWhole)) continue
    const body = listed.isLarge ? parseExactJson(listed.text) : (JSON.parse(listed.text) as unknown)
    const [transaction, meta] = [fieldOf(body, 'transaction'), fieldOf(body, 'meta')]
    const message = fieldOf(transaction, 'message')
    // Programs are never writable, so that they stand among the own accounts or the read-only ones of a lookup table.
    const [staticKeys, loaded] = [
      fieldOf(message, 'accountKeys'),
      fieldOf(fieldOf(meta, 'loadedAddresses'), 'readonly'),
    ]
    const isDone = fieldOf(meta, 'err') === null && (hasAny(loaded, dexPrograms) || hasAny(staticKeys, dexPrograms))
    const isKept = isDone || (isWhole && !hasAny(staticKeys, votePrograms) && !hasAny(loaded, votePrograms))
    if (isKept) yield { tx_index, body: trimmed(transaction, message, meta) }
  }
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

/** The facts of a unit, from its blocks alone. */
export type BlockFacts = { add: (block: RawBlock) => void; result: (to: number) => ReadResult<RowsOrColumns> }

/** Collects the rows of a unit, block by block. */
export function openFacts(proof: string): BlockFacts {
  const collected = openSolanaRows()
  return {
    add: ({ transactions, ...block }) => {
      collected.addBlock(block)
      for (const { tx_index, body } of transactions)
        collected.addTransaction(body, { block: block.block, tx_index, ts: block.ts })
    },
    result: (to) => ({ ...collected.result(), to, state: 'complete', proof }),
  }
}

/** Adds a block to facts, and gives it as text with the transactions that are kept. Each of these is in memory once. */
export function addAsText({ add }: BlockFacts, { transactions, ...block }: RawBlock): string {
  const texts: string[] = []
  add({ ...block, transactions: written(transactions, texts) })
  return `${JSON.stringify(block).slice(0, -1)},"transactions":[${texts.join(',')}]}`
}

function* written(transactions: Iterable<KeptTransaction>, texts: string[]): Generator<KeptTransaction> {
  for (const transaction of transactions) {
    texts.push(JSON.stringify(transaction))
    yield transaction
  }
}
