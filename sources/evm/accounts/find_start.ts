import { noncesAt, unlessLacking } from '#sources/evm/addresses/read_first_transactions.ts'
import { hexOf } from '#sources/evm/rpc/blocks.ts'
import { RpcFault } from '#sources/evm/rpc/fault.ts'
import type { Call } from '#sources/evm/rpc/node.ts'
import type { Rpc } from '#sources/evm/rpc/rpc.ts'
import { bytes, fullBlockShape, safeQuantity } from '#sources/evm/rpc/shapes.ts'

/** The nonces of one round of a search: the calls of one request. */
const perRound = 20
const codeless = '0x'
const fullBlockOrNull = fullBlockShape.nullable()

/**
 * Whether an account has sent a transaction or has code, as of the head. An account without both has no trade, but for
 * orders that it signed and another one sent. A node below the block `last` is behind, and is not believed.
 */
export const isUsed = (rpc: Rpc, address: string, last: number): Promise<boolean> =>
  rpc.at(async (node) => {
    const calls: Call<number | string>[] = [
      { method: 'eth_blockNumber', params: [], shape: safeQuantity },
      { method: 'eth_getTransactionCount', params: [address, 'latest'], shape: safeQuantity },
      { method: 'eth_getCode', params: [address, 'latest'], shape: bytes },
    ]
    const [head = 0, nonce = 0, code = codeless] = await node.batch(calls)
    if (Number(head) < last) throw new RpcFault('lag', `${node.name}: head ${head}; expected at least ${last}`)
    return Number(nonce) > 0 || code !== codeless
  })

/**
 * The block of the first transaction of an account, up to the block `last`: the one with its nonce 0. Null if no block
 * shows it: a contract sends none, and an endpoint without old states does not know. A nonce never falls, so 20 blocks
 * of a round leave a part of 21.
 */
export async function findFirstTransaction(rpc: Rpc, address: string, last: number): Promise<number | null> {
  const block = await unlessLacking(async () => {
    let [unused, used] = [-1, last]
    if ((await noncesAt(rpc, [{ address, block: last }], true))[0] === 0) return null
    while (used - unused > 1) {
      const step = Math.max(1, Math.floor((used - unused) / (perRound + 1)))
      const blocks = Array.from({ length: perRound }, (_, n) => unused + step * (n + 1)).filter((at) => at < used)
      const nonces = await noncesAt(
        rpc,
        blocks.map((at) => ({ address, block: at })),
        true,
      )
      const n = nonces.findIndex((nonce) => nonce > 0)
      used = blocks[n] ?? used
      unused = n === 0 ? unused : (blocks[(n === -1 ? blocks.length : n) - 1] ?? unused)
    }
    return used
  })
  if (block === undefined || block === null) return null
  return (await hasFirstTransaction(rpc, address, block)) ? block : null
}

/** Whether a block has the transaction of an account with the nonce 0, before which it has none. */
export const hasFirstTransaction = (rpc: Rpc, address: string, block: number): Promise<boolean> =>
  rpc.at(
    async (node) => {
      const call = { method: 'eth_getBlockByNumber', params: [hexOf(block), true], shape: fullBlockOrNull }
      const full = await node.call(call)
      if (full === null) throw new RpcFault('lag', `block ${block}: null; expected it with its transactions`)
      return full.transactions.some(({ from, nonce }) => from === address && nonce !== null && Number(nonce) === 0)
    },
    { firstBlock: block },
  )
