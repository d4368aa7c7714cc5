import type { ReadResult, RejectedRow, RowsOrColumns } from '#ingest/source.ts'
import { openTable, type Place } from '#sources/chain_table.ts'
import type { Micros } from '#time.ts'

import { movementsOf, payerOf, type Movement } from './parse/movements.ts'
import { tokenStandards, wrappedSol } from './parse/programs.ts'
import { swapCallsOf } from './parse/swaps.ts'
import { MalformedTransaction, readTransaction, type SolanaTransaction } from './parse/transaction.ts'

/** The place of a transaction. `tx_index` is -1 if it was read by its signature, since the response lacks the index. */
type TransactionPlace = { block: number; tx_index: number; ts: Micros }

/** A block as `getBlock` describes it. `block` is its slot; a skipped slot has no block. */
export type SolanaBlock = { block: number; hash: string; parent_block: number; parent_hash: string; ts: Micros }

/** The facts of Solana as columns. */
export type SolanaRows = {
  addBlock: (block: SolanaBlock) => void
  /** Adds a transaction as raw JSON-RPC of `parseExactJson`. A malformed one is rejected as a whole. */
  addTransaction: (body: unknown, place: TransactionPlace) => void
  result: () => Pick<ReadResult<RowsOrColumns>, 'rows' | 'rejected'>
}

const chain = 'solana'

/** Collects the rows of a unit. A signature that comes twice counts once. */
export function openSolanaRows(): SolanaRows {
  const [blocks, transactions] = [openTable('blocks'), openTable('transactions')]
  const [swaps, transfers, tokens] = [openTable('swaps'), openTable('transfers'), openTable('tokens')]
  const rejected: RejectedRow[] = []
  const signatures = new Set<string>()
  const mints = new Set<string>([wrappedSol])

  const addTokens = (tx: SolanaTransaction, place: Place): void => {
    for (const { mint, decimals, program } of tx.tokens) {
      const standard = program === null ? 'spl' : tokenStandards.get(program)
      if (standard === undefined || mints.has(mint)) continue
      mints.add(mint)
      tokens.push(place, { token: mint, seen_at: place.ts, symbol: null, name: null, decimals, standard })
    }
  }

  const addFacts = (tx: SolanaTransaction, at: TransactionPlace): void => {
    const place = { chain, ...at, tx: tx.signature, log_index: -1 }
    const movements = tx.isOk ? movementsOf(tx) : []
    transactions.push(place, transactionRow(tx, movements))
    if (!tx.isOk) return
    addTokens(tx, place)
    for (const [log_index, movement] of movements.entries()) {
      const { kind, token, amount, owner, isIn, other } = movement
      const [sender, recipient] = isIn ? [other, owner] : [owner, other]
      transfers.push({ ...place, log_index }, { kind, token, sender, recipient, amount })
    }
    for (const [log_index, { family, pool, paid, received, trader }] of swapCallsOf(tx).entries()) {
      const legs = { token0: paid?.token, amount0: paid?.amount, token1: received?.token, amount1: received?.amount }
      swaps.push({ ...place, log_index }, { family, pool, trader, ...legs })
    }
  }

  return {
    addBlock: ({ block, ts, ...row }) =>
      blocks.push({ chain, block, ts, tx: '', tx_index: -1, log_index: -1 }, { is_exact: true, ...row }),
    addTransaction: (body, place) => {
      try {
        const tx = readTransaction(body)
        if (signatures.has(tx.signature)) return
        signatures.add(tx.signature)
        addFacts(tx, place)
      } catch (error) {
        if (!(error instanceof MalformedTransaction)) throw error
        rejected.push({ dataset: 'transactions', path: `${chain}/${place.block}`, reason: error.message, body })
      }
    },
    result: () => ({
      rows: {
        blocks: blocks.batch(),
        transactions: transactions.batch(),
        swaps: swaps.batch(),
        transfers: transfers.batch(),
        user_operations: [],
        tokens: tokens.batch(),
      },
      rejected,
    }),
  }
}

/** `amount_fee` is all that the payer of the fee paid: the fee, its tips, and rent less the rent that it got back. */
function transactionRow(tx: SolanaTransaction, movements: readonly Movement[]): Record<string, unknown> {
  const sender = payerOf(tx)
  const amount_fee = movements.reduce(
    (sum, { kind, owner, isIn, amount }) =>
      kind === 'delta' || owner !== sender ? sum : sum + (isIn ? -amount : amount),
    tx.fee,
  )
  return { sender, recipient: null, amount: 0n, is_ok: tx.isOk, amount_fee }
}
