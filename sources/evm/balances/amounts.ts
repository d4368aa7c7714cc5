import { native } from '#registry/chains/tokens_to_read.ts'
import type { RpcNode } from '#sources/evm/rpc/node.ts'
import { quantity } from '#sources/evm/rpc/shapes.ts'

import { callEach, callTogether, type BlockTag } from './calls.ts'
import { balanceCall, coinCall, wordOf, type ContractCall, type Output } from './token_calls.ts'

/** A wallet and a token whose amount is asked: a contract in lower case, or the native coin. */
export type Asked = { wallet: string; token: string }

/** Makes calls of contracts in the way that the node answered before. */
export type CallAll = (calls: readonly ContractCall[]) => Promise<Output[]>

/**
 * The amounts that wallets held at a block, in raw units and the order of what is asked; null where a contract gave
 * none. They are read at one node: through Multicall3 where the chain has it, otherwise in batches. `call` makes
 * further calls.
 */
export async function readAmounts(
  node: RpcNode,
  multicall3: string | null,
  asked: readonly Asked[],
  block: BlockTag,
): Promise<{ call: CallAll; amounts: (bigint | null)[] }> {
  if (multicall3 !== null) {
    const at = multicall3 as `0x${string}`
    const amounts = (await callTogether(node, at, asked.map(callOf(at)), block))?.map(wordOf)
    const isOfChain = amounts?.every((amount, n) => amount !== null || asked[n]?.token !== native) ?? false
    // The registry may name a contract that the chain lacks, or lacked at the block.
    if (amounts !== undefined && isOfChain)
      return { call: async (calls) => (await callTogether(node, at, calls, block)) ?? [], amounts }
  }
  const coins = asked.filter(({ token }) => token === native)
  const balances = await node.batch(
    coins.map(({ wallet }) => ({ method: 'eth_getBalance', params: [wallet, block], shape: quantity })),
  )
  const call: CallAll = (calls) => callEach(node, calls, block)
  const outputs = await call(asked.filter(({ token }) => token !== native).map(balanceOf))
  let [n_coins, n_tokens] = [0, 0]
  const amounts = asked.map(({ token }) =>
    token === native ? (balances[n_coins++] ?? null) : wordOf(outputs[n_tokens++] ?? null),
  )
  return { call, amounts }
}

const balanceOf = ({ wallet, token }: Asked): ContractCall =>
  balanceCall(token as `0x${string}`, wallet as `0x${string}`)

const callOf =
  (multicall3: `0x${string}`) =>
  (asked: Asked): ContractCall =>
    asked.token === native ? coinCall(multicall3, asked.wallet as `0x${string}`) : balanceOf(asked)
