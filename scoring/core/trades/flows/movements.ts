import type { ChainFacts, SwapFact, TransactionFacts, TransferFact } from './facts.ts'
import { ownSalesOf } from './own_sales.ts'

/** The rows of a transaction between two logs: those of one operation, or all. `after` is exclusive. */
export type Span = { after: number; upTo: number }
export const whole: Span = { after: Number.NEGATIVE_INFINITY, upTo: Number.POSITIVE_INFINITY }
export const isIn = ({ after, upTo }: Span, { log_index }: { log_index: number }): boolean =>
  log_index > after && log_index <= upTo

/** The movements of a transaction, with the wrapped coin as `native` and each wrap once. */
export type Movements = {
  /**
   * Movements of tokens and of the wrapped coin, in the order of their logs. A wrap comes from '', an unwrap goes to
   * ''.
   */
  tokens: readonly TransferFact[]
  /** Tokens that repeat the movements of another token, and that token. */
  mirrors: ReadonlyMap<string, string>
  /** Wraps, unwraps and swaps but those of a token that sells for itself: it keeps what it gets. */
  wraps: readonly TransferFact[]
  unwraps: readonly TransferFact[]
  swaps: readonly SwapFact[]
  /** Movements of the native coin itself, as traces or logs show them. */
  internals: readonly TransferFact[]
  /** Whether those are all: traces or logs show the movements of the native coin. */
  areShown: boolean
}

/** Rows in the order of their logs, whatever the order in which they were read. */
export const inOrder = <T extends { log_index: number }>(rows: readonly T[]): T[] =>
  rows.toSorted((a, b) => a.log_index - b.log_index)

/** The sender of what a contract creates. */
export const zeroAddress = `0x${'0'.repeat(40)}`

export function movementsOf(tx: TransactionFacts, { wrapped }: ChainFacts): Movements {
  const transfers = inOrder(tx.transfers)
  const shown = transfers.filter(({ kind }) => kind === 'internal')
  const logged = shown.filter(({ log_index }) => log_index >= 0)
  const wrappedTransfers = transfers.filter(({ token }) => token === wrapped)
  const wraps = once(wrappedTransfers, 'wrap', ({ sender }) => sender === zeroAddress)
  const unwraps = once(wrappedTransfers, 'unwrap', ({ recipient }) => recipient === zeroAddress)
  const plain = transfers.filter(
    ({ kind, token, sender, recipient }) =>
      kind === 'transfer' && (token !== wrapped || (sender !== zeroAddress && recipient !== zeroAddress)),
  )
  const mirrors = mirrorsOf(plain)
  const counted = [...plain.filter(({ token }) => !mirrors.has(token)), ...wraps, ...unwraps]
  const tokens = inOrder(counted).map((row) => (row.token === wrapped ? { ...row, token: 'native' } : row))
  const isOwnSale = ownSalesOf(tx.swaps, tokens)
  const ofWallets = <T extends { log_index: number }>(rows: readonly T[]): T[] => rows.filter((row) => !isOwnSale(row))
  return {
    tokens,
    mirrors,
    wraps: ofWallets(wraps),
    unwraps: ofWallets(unwraps),
    swaps: ofWallets(tx.swaps),
    // Where the native coin logs its movements, traces show them again.
    internals: logged.length > 0 ? logged : shown,
    areShown: tx.is_traced || shown.length > 0,
  }
}

/**
 * Contracts that log the movements of another one, by address: two contracts over one ledger. Each movement of the one
 * directly follows the same movement of the other.
 */
function mirrorsOf(rows: readonly TransferFact[]): Map<string, string> {
  const keyOf = ({ sender, recipient, amount }: TransferFact): string => `${sender} ${recipient} ${amount}`
  const byIndex = new Map(rows.map((row) => [row.log_index, row]))
  const mirrors = new Map<string, string>()
  const others = new Set<string>()
  for (const row of rows) {
    const before = byIndex.get(row.log_index - 1)
    const isSame = before !== undefined && before.token !== row.token && keyOf(before) === keyOf(row)
    if (!isSame || (mirrors.get(row.token) ?? before.token) !== before.token) others.add(row.token)
    else mirrors.set(row.token, before.token)
  }
  for (const token of others) mirrors.delete(token)
  return mirrors
}

/** The name under which movements count a token that an event names. */
export const countedAs = (token: string, { mirrors }: Movements, { wrapped }: ChainFacts): string =>
  token === wrapped ? 'native' : (mirrors.get(token) ?? token)

/**
 * Wraps or unwraps of the wrapped coin. Some contracts emit a Transfer from or to the zero address, some an event of
 * their own, and some both: then the Transfer is the same movement.
 */
function once(
  rows: readonly TransferFact[],
  kind: 'wrap' | 'unwrap',
  isZero: (row: TransferFact) => boolean,
): TransferFact[] {
  const keyOf = ({ sender, recipient, amount }: TransferFact): string =>
    `${kind === 'wrap' ? recipient : sender} ${amount}`
  const events = rows.filter((row) => row.kind === kind)
  const counts = new Map<string, number>()
  for (const row of events) counts.set(keyOf(row), (counts.get(keyOf(row)) ?? 0) + 1)
  const others = rows.filter((row) => {
    if (row.kind !== 'transfer' || !isZero(row)) return false
    const left = counts.get(keyOf(row)) ?? 0
    counts.set(keyOf(row), left - 1)
    return left <= 0
  })
  return [...events, ...others.map((row) => (kind === 'wrap' ? { ...row, sender: '' } : { ...row, recipient: '' }))]
}
