import { headersOf, hexOf, readHeaders } from '#sources/evm/rpc/blocks.ts'
import type { BlockTag } from '#sources/evm/rpc/call.ts'
import { RpcFault } from '#sources/evm/rpc/fault.ts'
import { asLackOfState, lackIn } from '#sources/evm/rpc/lack_of_state.ts'
import type { RpcNode } from '#sources/evm/rpc/node.ts'
import { ChainFault, type Rpc } from '#sources/evm/rpc/rpc.ts'
import { quantity, type Header } from '#sources/evm/rpc/shapes.ts'

import { readAmounts, type Asked } from './read_amounts.ts'

/** An amount in raw units, as digits. */
type Held = Asked & { raw: string }

/** What wallets held after a block. The contracts of `n_unread` balances gave none. */
export type BalanceReading = { block: number; time_s: number; held: Held[]; n_unread: number }

/** The balances of one piece of work, which fails over as a whole. */
const mostAtOnce = 1_000

/**
 * Reads balances after a block that is known to exist. Each node that is asked has the block with the same hash, so
 * that all balances are of one state. Undefined if every endpoint lacks that state; throws a `ChainFault` if one has
 * another fault.
 */
export async function readBalancesAt(
  rpc: Rpc,
  asked: readonly Asked[],
  block: number,
): Promise<BalanceReading | undefined> {
  const header = (await readHeaders(rpc, [block])).get(block)
  if (header === undefined) throw new Error(`block ${block}: no header; expected the header of a block`)
  const reading: BalanceReading = { block, time_s: header.time_s, held: [], n_unread: 0 }
  for (let at = 0; at < asked.length; at += mostAtOnce) {
    const part = asked.slice(at, at + mostAtOnce)
    const amounts = await unlessLacking(() =>
      rpc.at((node) => readPart(node, part, header, rpc.chain.multicall3), { method: 'eth_call', firstState: block }),
    )
    if (amounts === undefined) return undefined
    for (const [n, { wallet, token }] of part.entries()) {
      const raw = amounts[n] ?? null
      if (raw === null) reading.n_unread += 1
      else reading.held.push({ wallet, token, raw: raw.toString() })
    }
  }
  return reading
}

/** The amounts at one node, which has the block of the header and its state. */
async function readPart(
  node: RpcNode,
  asked: readonly Asked[],
  { block, hash }: Header,
  multicall3: string | null,
): Promise<(bigint | null)[]> {
  const nodeHeader = (await headersOf(node, [block])).get(block)
  if (nodeHeader?.hash !== hash)
    throw new RpcFault('check', `${node.name}: block ${block} has the hash ${nodeHeader?.hash}; expected ${hash}`)
  const tag = hexOf(block) as BlockTag
  // A contract may fail with any text, so an account shows whether the node has the state.
  const probe = { method: 'eth_getBalance', params: [asked[0]?.wallet ?? '', tag], shape: quantity }
  await node.call(probe).catch(asLackOfState)
  return (await readAmounts(node, multicall3, asked, tag)).amounts
}

async function unlessLacking<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof ChainFault) || lackIn(error) !== 'all') throw error
    return undefined
  }
}
