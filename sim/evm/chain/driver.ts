import type { Hex } from 'viem'

import type { NodeCall } from '#sim/evm/node/rpc.ts'
import type { LocalNode } from '#sim/evm/node/start_node.ts'

import { hex, type Draft, type Mined, type Receipt } from './transaction.ts'

/** Makes the blocks of a node, one after another. */
export type Driver = {
  /** The nonce of the next transaction of an account. */
  nonceOf: (account: Hex) => number
  /** Mines a block with these transactions in this order. A reverted one is an error unless it may fail. */
  mine: (at_s: number, drafts: readonly Draft[]) => Promise<Mined>
  /** Removes the newest blocks from the chain. */
  rollback: (depth: number) => Promise<void>
}

const fees = { maxFeePerGas: hex(5_000_000_000), maxPriorityFeePerGas: hex(1_000_000_000) }
const usualGas = 1_500_000
/** The node takes the calls of a longer batch out of order. */
const atOnce = 50

export function createDriver(node: LocalNode): Driver {
  const nonces = new Map<Hex, number>()
  let block = 0

  const mine: Driver['mine'] = async (at_s, drafts) => {
    const sends = drafts.map(({ from, to, data, value, gas = usualGas }): NodeCall => {
      const nonce = nonces.get(from) ?? 0
      nonces.set(from, nonce + 1)
      const call = { from, data, value: hex(value), gas: hex(gas), nonce: hex(nonce), ...fees }
      return ['eth_sendTransaction', to === null ? call : { ...call, to }]
    })
    const hashes: unknown[] = []
    for (let n = 0; n < sends.length; n += atOnce) hashes.push(...(await node.batch(sends.slice(n, n + atOnce))))
    await node.call('evm_mine', { timestamp: at_s })
    block++
    const wallets = [...new Set(drafts.flatMap(({ from, trades }) => [from, ...trades.map(({ wallet }) => wallet)]))]
    const [receipts, ...balances] = await node.batch([
      ['eth_getBlockReceipts', hex(block)],
      ...wallets.map((wallet): NodeCall => ['eth_getBalance', wallet, hex(block)]),
    ])
    const transactions = drafts.map((draft, n) => {
      const receipt = (receipts as Receipt[])[n]
      if (receipt === undefined || receipt.transactionHash !== hashes[n])
        throw new Error(`block ${block}: transaction ${n} is not the one that was sent; expected the order of the plan`)
      if (receipt.status !== '0x1' && draft.mayFail !== true)
        throw new Error(`${receipt.transactionHash}: reverted; expected success`)
      return { draft, receipt }
    })
    const amounts = balances.map((balance) => BigInt(balance as Hex))
    return {
      block,
      ts_s: at_s,
      transactions,
      balances: new Map(wallets.map((wallet, n) => [wallet, amounts[n] ?? 0n])),
    }
  }

  return {
    nonceOf: (account) => nonces.get(account) ?? 0,
    mine,
    rollback: async (depth) => {
      await node.call('anvil_rollback', depth)
      block -= depth
      const accounts = [...nonces.keys()]
      const counts = await node.batch(accounts.map((account) => ['eth_getTransactionCount', account, 'latest']))
      for (const [n, account] of accounts.entries()) nonces.set(account, Number(counts[n]))
    },
  }
}
