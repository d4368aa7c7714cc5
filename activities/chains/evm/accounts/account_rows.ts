import { keccak_256 } from '@noble/hashes/sha3'

import { readViews } from '#activities/chains/evm/calls/read_views.ts'
import { RpcFault } from '#activities/chains/evm/rpc/fault.ts'
import type { RpcNode } from '#activities/chains/evm/rpc/node.ts'
import type { Rpc } from '#activities/chains/evm/rpc/rpc.ts'
import { bytes, safeQuantity } from '#activities/chains/evm/rpc/shapes.ts'
import type { PullResult } from '#activities/source.ts'
import type { Micros } from '#time.ts'

import { isSafe, isSafeProxy, safeViews, soleOwner } from './safe.ts'

/** An address. `isSender` if it sent a transaction or an operation of ERC-4337. */
export type Account = { address: string; isSender: boolean }

/** An address as a node described it: the hash of its code, null without code, and the results of the views of a Safe. */
export type ReadAccount = Account & {
  code_hash: string | null
  /** The code is a delegation of EIP-7702, which an account without code of its own signed. */
  isDelegated: boolean
  results: Record<string, string | null>
}

/** The calls of one piece of work, which fails over as a whole. */
const mostCalls = 100
/** The prefix of a delegation, before the address of the contract. */
const delegation = /^0xef0100[0-9a-f]{40}$/

/**
 * Reads the code of accounts as of the head, and the views of those that are Safes. `head` is a block that the node must
 * have: an older state lacks code. Throws a `ChainFault` if no endpoint answers for all.
 */
export async function readAccounts(rpc: Rpc, accounts: readonly Account[], head: number): Promise<ReadAccount[]> {
  const read: ReadAccount[] = []
  for (let at = 0; at < accounts.length; at += mostCalls) {
    const part = accounts.slice(at, at + mostCalls)
    const codes = await rpc.at((node) => readCodes(node, part, head), { method: 'eth_getCode' })
    for (const [n, account] of part.entries()) read.push({ ...account, ...describe(codes[n] ?? '0x'), results: {} })
  }
  const safes = read.filter(({ code_hash }) => isSafeProxy(code_hash))
  const results = await readViews(
    rpc,
    safes.flatMap(({ address: to }) => safeViews.map((data) => ({ to, data }))),
  )
  let n = 0
  for (const safe of safes) for (const data of safeViews) safe.results[data] = results[n++] ?? null
  return read
}

async function readCodes(node: RpcNode, accounts: readonly Account[], head: number): Promise<string[]> {
  const own = await node.call({ method: 'eth_blockNumber', params: [], shape: safeQuantity })
  if (own < head) throw new RpcFault('lag', `${node.name}: head ${own}; expected at least ${head}, which was read`)
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
): NonNullable<PullResult['rows']['addresses']> =>
  accounts.map((account) => ({
    chain,
    address: account.address,
    seen_at,
    code_hash: account.code_hash,
    kind: kindOf(account),
    owner: isSafe(account.results) ? soleOwner(account.results) : null,
    first_tx_at: null,
  }))
