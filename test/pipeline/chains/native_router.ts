import type { Abi, Hex } from 'viem'
import { encodeFunctionData } from 'viem/utils'
import { z } from 'zod'

import { nativeRouter, token as tokenAbi } from '#sim/evm/contracts/abi.ts'
import { deployData } from '#sim/evm/contracts/artifacts.ts'
import type { EvmWorld } from '#sim/evm/world.ts'

export const wrapped: Hex = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
const keeper: Hex = `0x${'fee'.padStart(40, '0')}`
export const coin = 10n ** 18n

/** A trade by the balances of a wallet before and after its block, without the fee of the transaction. */
export type TrueLeg = {
  tx: string
  wallet: string
  sold: string
  bought: string
  amount_sold: bigint
  amount_bought: bigint
}

const receiptShape = z.object({
  contractAddress: z.string().nullable(),
  status: z.literal('0x1'),
  gasUsed: z.coerce.bigint(),
  effectiveGasPrice: z.coerce.bigint(),
  transactionHash: z.string(),
})

/** Trades of new wallets of a world through a router that keeps a fee of the native coin and fills orders of makers. */
export async function openNativeRouter({ rpc, dollar, v2Router }: EvmWorld, token: Hex) {
  const send = async (from: Hex, to: Hex | null, data: Hex, value = 0n) => {
    const call = { from, data, value: `0x${value.toString(16)}`, gas: '0x5b8d80', ...(to === null ? {} : { to }) }
    const hash = await rpc.call('eth_sendTransaction', call)
    await rpc.call('evm_mine')
    return receiptShape.parse(await rpc.call('eth_getTransactionReceipt', hash))
  }
  const wallet = async (n: number): Promise<Hex> => {
    const address: Hex = `0x${`a11ce${n}`.padStart(40, '7')}`
    await rpc.call('anvil_impersonateAccount', address)
    await rpc.call('anvil_setBalance', address, `0x${(1_000n * coin).toString(16)}`)
    return address
  }
  const deployer = await wallet(0)
  const deployed = await send(deployer, null, deployData('NativeRouter', [wrapped, v2Router, keeper]))
  const router = (deployed.contractAddress ?? '') as Hex
  const call = (abi: Abi, functionName: string, args: readonly unknown[]): Hex =>
    encodeFunctionData({ abi, functionName, args })
  const held = async (owner: Hex): Promise<{ coins: bigint; tokens: bigint }> => {
    const data = call(tokenAbi, 'balanceOf', [owner])
    const [coins, tokens] = await rpc.batch([
      ['eth_getBalance', owner, 'latest'],
      ['eth_call', { to: token, data }, 'latest'],
    ])
    return { coins: BigInt(coins as Hex), tokens: BigInt(tokens as Hex) }
  }
  /** Sends a call and reads what it changed for a wallet. */
  const trade = async (owner: Hex, from: Hex, data: Hex, value = 0n): Promise<TrueLeg> => {
    const before = await held(owner)
    const { gasUsed, effectiveGasPrice, transactionHash: tx } = await send(from, router, data, value)
    const after = await held(owner)
    const coins = after.coins - before.coins + (owner === from ? gasUsed * effectiveGasPrice : 0n)
    const tokens = after.tokens - before.tokens
    return coins < 0n
      ? { tx, wallet: owner, sold: 'native', bought: token, amount_sold: -coins, amount_bought: tokens }
      : { tx, wallet: owner, sold: token, bought: 'native', amount_sold: -tokens, amount_bought: coins }
  }
  return {
    wallet,
    held,
    approve: (from: Hex) => send(from, token, call(tokenAbi, 'approve', [router, 2n ** 256n - 1n])),
    buy: (from: Hex, spent: bigint, sent: bigint) =>
      trade(from, from, call(nativeRouter, 'buy', [spent, [wrapped, dollar, token]]), sent),
    sell: (from: Hex, amount: bigint) =>
      trade(from, from, call(nativeRouter, 'sell', [amount, [token, dollar, wrapped]])),
    fill: (filler: Hex, maker: Hex, amount: bigint, asked: bigint) =>
      trade(maker, filler, call(nativeRouter, 'fill', [maker, amount, [token, dollar, wrapped], asked])),
  }
}
