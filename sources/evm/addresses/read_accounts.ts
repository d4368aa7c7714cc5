import { keccak_256 } from '@noble/hashes/sha3'

import type { ReadResult } from '#ingest/source.ts'
import { callContracts } from '#sources/evm/rpc/call.ts'
import { RpcFault } from '#sources/evm/rpc/fault.ts'
import type { RpcNode } from '#sources/evm/rpc/node.ts'
import type { Rpc } from '#sources/evm/rpc/rpc.ts'
import { bytes, safeQuantity } from '#sources/evm/rpc/shapes.ts'
import { SECOND, type Micros } from '#time.ts'

import { readFirstTransactions, type Named, type StoredChain } from './read_first_transactions.ts'
import { isSafe, isSafeProxy, safeViews, soleOwner } from './safe.ts'

/** An address with the time of its first swap. `isSender` if it sent a transaction or an operation of ERC-4337. */
export type Account = Named & { isSender: boolean }

/**
 * An address as a node described it: the hash of its code, null without code, and the results of the views of a Safe.
 */
export type ReadAccount = Account & {
  code_hash: string | null
  /** The code is a delegation of EIP-7702, which an account without code of its own signed. */
  isDelegated: boolean
  results: Record<string, string | null>
  /** Null of a contract, and unless the account sent its first transaction shortly before its first swap. */
  first_tx_s: number | null
}

/** The accounts of a unit, as read. `note` says how many first transactions are unknown. */
export type Reading = { accounts: ReadAccount[]; note?: string }

/** The calls of one piece of work, which fails over as a whole. */
const mostCalls = 100
/** The prefix of a delegation, before the address of the contract. */
const delegation = /^0xef0100[0-9a-f]{40}$/

/**
 * Reads the code of accounts as of the head, the views of those that are Safes, and when the others sent their first
 * transaction. `head` is a block that the node must have: an older state lacks code. Throws a `ChainFault` if no
 * endpoint answers for all.
 */
export async function readAccounts(rpc: Rpc, accounts: readonly Account[], chain: StoredChain): Promise<Reading> {
  const read: ReadAccount[] = []
  for (let at = 0; at < accounts.length; at += mostCalls) {
    const part = accounts.slice(at, at + mostCalls)
    const codes = await rpc.at((node) => readCodes(node, part, chain.head), { method: 'eth_getCode' })
    for (const [n, account] of part.entries())
      read.push({ ...account, ...describe(codes[n] ?? '0x'), results: {}, first_tx_s: null })
  }
  const safes = read.filter(({ code_hash }) => isSafeProxy(code_hash))
  const results = await callContracts(
    rpc,
    safes.flatMap(({ address: to }) => safeViews.map((data) => ({ to, data }))),
  )
  let n = 0
  for (const safe of safes) for (const data of safeViews) safe.results[data] = results[n++] ?? null
  // The nonce of a contract counts its creations.
  const signing = read.filter(({ code_hash, isDelegated }) => code_hash === null || isDelegated)
  const { first_tx_s, n_unknown } = await readFirstTransactions(rpc, signing, chain)
  for (const account of signing) account.first_tx_s = first_tx_s.get(account.address) ?? null
  return { accounts: read, ...(n_unknown === 0 ? {} : { note: noteOf(n_unknown) }) }
}

const noteOf = (n_unknown: number): string =>
  `the first transactions of ${n_unknown} are unknown, since no endpoint has the state of the old blocks`

async function readCodes(node: RpcNode, accounts: readonly Account[], head: number): Promise<string[]> {
  const nodeHead = await node.call({ method: 'eth_blockNumber', params: [], shape: safeQuantity })
  if (nodeHead < head)
    throw new RpcFault('lag', `${node.name}: head ${nodeHead}; expected at least ${head}, which was read`)
  return node.batch(
    accounts.map(({ address }) => ({ method: 'eth_getCode', params: [address, 'latest'], shape: bytes })),
  )
}

const describe = (code: string): Pick<ReadAccount, 'code_hash' | 'isDelegated'> => ({
  code_hash: code === '0x' ? null : `0x${Buffer.from(keccak_256(Buffer.from(code.slice(2), 'hex'))).toString('hex')}`,
  isDelegated: delegation.test(code),
})

function kindOf({ code_hash, isDelegated, results, isSender }: ReadAccount): string {
  if (code_hash === null) return 'eoa'
  if (isDelegated) return 'delegated'
  if (isSafe(results)) return 'safe'
  return isSender ? 'smart_account' : 'contract'
}

/** The rows of accounts as of an instant. */
export const accountRows = (
  chain: string,
  accounts: readonly ReadAccount[],
  seen_at: Micros,
): NonNullable<ReadResult['rows']['addresses']> =>
  accounts.map((account) => ({
    chain,
    address: account.address,
    seen_at,
    code_hash: account.code_hash,
    kind: kindOf(account),
    owner: isSafe(account.results) ? soleOwner(account.results) : null,
    first_tx_at: account.first_tx_s === null ? null : account.first_tx_s * SECOND,
  }))
