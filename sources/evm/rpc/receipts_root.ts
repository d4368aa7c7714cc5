import { keccak_256 } from '@noble/hashes/sha3'

import { bloomOf } from './bloom.ts'
import type { Receipt } from './shapes.ts'

/**
 * The root of the receipts of a block, in the order of their transactions, as its header has it: the hash of a trie of
 * all of them, which no missing or changed log leaves the same. Undefined for a kind of receipt whose encoding is not
 * known.
 */
export function receiptsRootOf(receipts: readonly Receipt[]): string | undefined {
  const entries: Entry[] = []
  for (const [n, receipt] of receipts.entries()) {
    const value = encodeReceipt(receipt)
    if (value === undefined) return undefined
    entries.push({ path: n === 0 ? '80' : encodeBytes(evenHex(n)), value })
  }
  if (entries.length === 0) return emptyRoot
  return `0x${hashOf(nodeOf(entries.toSorted(byPath), 0))}`
}

/** The root of no receipts. */
export const emptyRoot = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'

/** The kinds of transactions whose receipts have four fields behind their kind: of Ethereum, and of Arbitrum. */
const plainKinds = new Set([1, 2, 3, 4, 0x64, 0x65, 0x66, 0x68, 0x69, 0x6a])
/** A deposit of the OP Stack. Since Canyon its receipt ends with the nonce and the version. */
const depositKind = 0x7e

/** The canonical text of a receipt, which the trie has. */
function encodeReceipt({ type: kind, status, root, cumulativeGasUsed, logs, ...more }: Receipt): string | undefined {
  // Receipts before Byzantium have a root of the state in place of a status.
  const outcome = root ?? status
  if (outcome === null || cumulativeGasUsed === null) return undefined
  const fields = [
    root === null ? encodeAmount(outcome) : encodeBytes(outcome.slice(2)),
    encodeAmount(cumulativeGasUsed),
    encodeBytes(bloomOf(logs).slice(2)),
    encodeList(logs.map(encodeLog)),
  ]
  // Old nodes write no kind for the first one.
  if (kind === 0 || kind === null) return encodeList(fields)
  const { depositNonce, depositReceiptVersion } = more
  if (kind === depositKind && depositNonce !== null && depositReceiptVersion !== null)
    fields.push(encodeAmount(depositNonce), encodeAmount(depositReceiptVersion))
  else if (kind !== depositKind && !plainKinds.has(kind)) return undefined
  return evenHex(kind) + encodeList(fields)
}

const encodeLog = ({ address, topics, data }: Receipt['logs'][number]): string => {
  let hashes = ''
  for (const topic of topics) hashes += `a0${topic.slice(2)}`
  return encodeList([`94${address.slice(2)}`, headOf(hashes.length / 2, 0xc0) + hashes, encodeBytes(data.slice(2))])
}

// RLP in hexadecimal without `0x`: texts are joined in a fraction of the time that buffers take.
const evenHex = (value: number): string => {
  const text = value.toString(16)
  return text.length % 2 === 0 ? text : `0${text}`
}
const headOf = (n_bytes: number, base: number): string => {
  if (n_bytes < 56) return evenHex(base + n_bytes)
  const length = evenHex(n_bytes)
  return evenHex(base + 55 + length.length / 2) + length
}
const encodeBytes = (text: string): string =>
  text.length === 2 && text < '80' ? text : headOf(text.length / 2, 0x80) + text
const encodeList = (items: readonly string[]): string => {
  const text = items.join('')
  return headOf(text.length / 2, 0xc0) + text
}
/** A quantity such as `0x1f`: its bytes without leading zeros, none for zero. */
const encodeAmount = (quantity: string): string => {
  const text = quantity.slice(2).replace(/^0+/, '')
  return encodeBytes(text.length % 2 === 0 ? text : `0${text}`)
}

/** A value of the trie, with the hexadecimal digits of its path. */
type Entry = { path: string; value: string }

const byPath = (a: Entry, b: Entry): number => (a.path < b.path ? -1 : 1)
const digits = '0123456789abcdef'

/** The node of entries, sorted, that share the first `depth` digits of their paths. No path is the start of another. */
function nodeOf(entries: readonly Entry[], depth: number): string {
  const [first, last] = [entries[0], entries.at(-1)]
  if (first === undefined || last === undefined) return '80'
  if (entries.length === 1) return encodeList([encodePath(first.path.slice(depth), true), encodeBytes(first.value)])
  let end = depth
  while (first.path[end] === last.path[end]) end += 1
  if (end > depth) return encodeList([encodePath(first.path.slice(depth, end), false), linkOf(nodeOf(entries, end))])
  const children = Array.from(digits, (digit) => {
    const below = entries.filter(({ path }) => path[depth] === digit)
    return below.length === 0 ? '80' : linkOf(nodeOf(below, depth + 1))
  })
  return encodeList([...children, '80'])
}

/** A node as its parent has it: itself if it is short, else its hash. */
const linkOf = (node: string): string => (node.length < 64 ? node : encodeBytes(hashOf(node)))
const hashOf = (text: string): string => Buffer.from(keccak_256(Buffer.from(text, 'hex'))).toString('hex')

/** Digits of a path in bytes, behind a digit that says whether their number is odd and whether a value follows. */
const encodePath = (path: string, isLeaf: boolean): string => {
  const flag = (isLeaf ? 2 : 0) + (path.length % 2)
  return encodeBytes(path.length % 2 === 0 ? `${flag}0${path}` : `${flag}${path}`)
}
