import { z } from 'zod'

import { bloomOf, emptyBloom, openBloom } from './bloom.ts'
import { RpcFault } from './fault.ts'
import { emptyRoot, receiptsRootOf } from './receipts_root.ts'
import type { Header, Receipt } from './shapes.ts'

/**
 * What shows that a reading has all wanted logs of a block, with its words in the proof of a unit:
 *
 * - `empty`: its bloom filter lacks each wanted topic, or it has no transaction and the root of no receipts.
 * - `root`: its receipts give the root of its header. None of its logs is missing or changed.
 * - `filter`: each transaction has a receipt, no index of a log is missing, and all logs give the bloom filter.
 * - `indexes`: the same without a filter, on a chain that writes none.
 * - `endpoints`: two endpoints have the same logs.
 */
export const proofs = {
  empty: 'bloom filters',
  root: 'roots of receipts',
  filter: 'receipts with all indexes and their bloom filters',
  indexes: 'receipts with all indexes',
  endpoints: 'two endpoints',
} as const

export type Proof = keyof typeof proofs

const names = Object.keys(proofs) as [Proof, ...Proof[]]
export const proofShape = z.enum(names)

/** Proofs without repetition, in the order of their list. */
export const sortedProofs = (all: Iterable<Proof>): Proof[] => {
  const set = new Set(all)
  return names.filter((name) => set.has(name))
}

/**
 * The proof that the receipts of a block are all of its receipts, with all their logs. Throws a fault without one. The
 * root costs a hash of all bytes, so it is asked only for what the filter leaves open, and where the endpoint is in
 * `doubt`: it has left out a log of the block before.
 */
export function proofOf(header: Header, receipts: readonly Receipt[], isInDoubt = false): Proof {
  const sorted = receipts.toSorted((a, b) => a.transactionIndex - b.transactionIndex)
  const isWhole = isIndexed(header, sorted)
  if (isWhole && !isInDoubt && hasFilter(header, sorted)) return 'filter'
  const byRoot = hasRoot(header, sorted)
  if (byRoot === true) return 'root'
  const isFiltered = openBloom(header.bloom) !== undefined
  if (byRoot === undefined && isWhole && (!isFiltered || hasFilter(header, sorted)))
    return isFiltered ? 'filter' : 'indexes'
  throw new RpcFault('check', `block ${header.block}: its receipts do not agree with its header`)
}

/** Whether each transaction has a receipt, and the logs have all indexes from 0 on. */
function isIndexed({ n_transactions }: Header, sorted: readonly Receipt[]): boolean {
  if (n_transactions !== sorted.length || sorted.some(({ transactionIndex }, n) => transactionIndex !== n)) return false
  return sorted.flatMap(({ logs }) => logs).every(({ log_index }, n) => log_index === n)
}

/** An empty filter fits a block without logs, and is no filter of a block with logs. */
const hasFilter = ({ bloom }: Header, receipts: readonly Receipt[]): boolean =>
  (bloom === emptyBloom || openBloom(bloom) !== undefined) && bloomOf(receipts.flatMap(({ logs }) => logs)) === bloom

/**
 * Whether receipts give the root of their header; undefined if there is none to compare. Polygon keeps the transactions
 * that it makes itself out of the root; they use no gas. Chains of the Cosmos SDK write the root of no receipts.
 */
function hasRoot({ receipts_root }: Header, sorted: readonly Receipt[]): boolean | undefined {
  if (receipts_root === null || (receipts_root === emptyRoot && sorted.length > 0)) return undefined
  const root = receiptsRootOf(sorted)
  if (root === receipts_root) return true
  const paid = sorted.filter(({ gasUsed }) => BigInt(gasUsed) > 0n)
  if (paid.length < sorted.length && receiptsRootOf(paid) === receipts_root) return true
  return root === undefined || sorted.some(({ type }) => type === null) ? undefined : false
}
