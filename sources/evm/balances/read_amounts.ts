import { native } from '#registry/chains/tokens_to_read.ts'
import { numberIn, viewCall, type ContractCall, type Output } from '#sources/evm/rpc/abi.ts'
import { callAt, type BlockTag } from '#sources/evm/rpc/call.ts'
import { balanceCall } from '#sources/evm/rpc/erc20.ts'
import type { RpcNode } from '#sources/evm/rpc/node.ts'
import { quantity } from '#sources/evm/rpc/shapes.ts'

/** A wallet and a token whose amount is asked: a contract in lower case, or the native coin. */
export type Asked = { wallet: string; token: string }

/** `call` makes further calls in the way that the node answered. */
type Amounts = { amounts: (bigint | null)[]; call: (calls: readonly ContractCall[]) => Promise<Output[]> }

/**
 * The amounts that wallets held at a block, in raw units and the order of what is asked; null where a contract gave
 * none. They are read at one node: through Multicall3 where the chain has it, otherwise in batches.
 */
export async function readAmounts(
  node: RpcNode,
  multicall3: string | null,
  asked: readonly Asked[],
  block: BlockTag,
): Promise<Amounts> {
  const isCoin = ({ token }: Asked): boolean => token === native
  const called = multicall3 === null ? asked.filter((item) => !isCoin(item)) : asked
  const outputs = await callAt(node, multicall3, called.map(callOf(multicall3)), block)
  const amounts = new Map(called.map((item, n) => [item, numberIn(outputs[n])]))
  // The registry may name a contract that the chain lacks, or lacked at the block.
  const coins = asked.filter((item) => isCoin(item) && (amounts.get(item) ?? null) === null)
  const balances = await node.batch(
    coins.map(({ wallet }) => ({ method: 'eth_getBalance', params: [wallet, block], shape: quantity })),
  )
  for (const [n, item] of coins.entries()) amounts.set(item, balances[n] ?? null)
  const by = coins.length === 0 ? multicall3 : null
  return {
    amounts: asked.map((item) => amounts.get(item) ?? null),
    call: (calls) => callAt(node, by, calls, block),
  }
}

const callOf =
  (multicall3: string | null) =>
  ({ wallet, token }: Asked): ContractCall =>
    token === native && multicall3 !== null
      ? { to: multicall3, data: viewCall('getEthBalance(address)', wallet) }
      : balanceCall(token, wallet)
