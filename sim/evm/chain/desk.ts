import type { Hex } from 'viem'
import { encodeFunctionData } from 'viem/utils'

import { accounts as accountsAbi, token as tokenAbi } from '#sim/evm/contracts/abi.ts'
import type { Contracts } from '#sim/evm/contracts/deploy.ts'
import { holdingKey, type EvmLedger } from '#sim/evm/ledger/ledger.ts'
import type { Actor, Asset, EvmPlan } from '#sim/evm/types.ts'
import type { Random } from '#sim/random.ts'

import type { History } from './block_changes.ts'
import { pushTo, setIn } from './block_changes.ts'
import type { Pools } from './pools.ts'
import { swapCall, type SwapCall, type SwapOrder } from './swap_calls.ts'
import type { Draft, Intent } from './transaction.ts'

/** The inputs of the transactions of a block. */
export type Scene = {
  plan: EvmPlan
  contracts: Contracts
  addresses: readonly Hex[]
  tokens: readonly Hex[]
  pools: Pools
  ledger: EvmLedger
  history: History
  /** Allowances that were given, as `owner token spender`. */
  approved: Map<string, true>
}

/** The planned transactions of one block. A wallet no longer holds the amounts that it sold in the block. */
export type Desk = Scene & {
  block: number
  random: Random
  drafts: Draft[]
  held: (wallet: Hex, asset: Hex | 'native') => bigint
  /** Adds the swap of a wallet, with the allowance that it needs first; false if it does not hold the amount. */
  swap: (actor: Actor, order: Omit<SwapOrder, 'recipient'>, more?: Partial<Draft>) => boolean
  send: (draft: Draft) => void
  approve: (actor: Actor, token: Hex, spender: Hex) => void
  addressOf: (actor: Actor | number) => Hex
  assetOf: (asset: Asset) => Hex | 'native'
}

/** Enough of the native coin stays for gas. */
const forGas = 10n ** 18n

export function openDesk(scene: Scene, block: number, random: Random): Desk {
  const { contracts, addresses, tokens, ledger, history, approved } = scene
  const drafts: Draft[] = []
  const sold = new Map<string, bigint>()
  const forNative = new Set<Hex>()
  const addressOf: Desk['addressOf'] = (actor) => {
    const address = addresses[typeof actor === 'number' ? actor : actor.index]
    if (address === undefined) throw new Error('actor: no address; expected one for each')
    return address
  }
  const assetOf: Desk['assetOf'] = (asset) => {
    if (typeof asset === 'string') return asset === 'dollar' ? contracts.dollar : 'native'
    const address = tokens[asset]
    if (address === undefined) throw new Error(`token ${asset}: no address; expected one for each`)
    return address
  }
  const held: Desk['held'] = (wallet, asset) => {
    const key = holdingKey(wallet, asset)
    const amount = (ledger.holdings.get(key) ?? 0n) - (sold.get(key) ?? 0n) - (asset === 'native' ? forGas : 0n)
    return amount > 0n ? amount : 0n
  }
  const send = (draft: Draft): void => pushTo(history, block, drafts, draft)
  const approve: Desk['approve'] = (actor, token, spender) => {
    const owner = addressOf(actor)
    const key = `${owner} ${token} ${spender}`
    if (approved.has(key)) return
    setIn(history, block, approved, key, true)
    send({ from: owner, to: token, data: approval(spender), value: 0n, trades: [] })
  }
  const swap: Desk['swap'] = (actor, order, more = {}) => {
    const wallet = addressOf(actor)
    const { from, to, amount } = order
    // A balance shows one sale for the native coin in a block, no more.
    if (amount <= 0n || held(wallet, from) < amount || (to === 'native' && forNative.has(wallet))) return false
    if (to === 'native') forNative.add(wallet)
    const key = holdingKey(wallet, from)
    sold.set(key, (sold.get(key) ?? 0n) + amount)
    const call = swapCall(contracts, { ...order, recipient: wallet })
    const intent = { wallet, sold: from, amount_sold: amount, bought: to }
    if (actor.isAccount) {
      send(operationDraft(contracts, addressOf(1), { token: from, call, intent, nonce: BigInt(block) }))
      return true
    }
    if (from !== 'native') approve(actor, from, call.spender)
    send({ from: wallet, to: call.to, data: call.data, value: call.value, trades: [intent], ...more })
    return true
  }
  return { ...scene, block, random, drafts, held, swap, send, approve, addressOf, assetOf }
}

const most = 2n ** 256n - 1n
export const approval = (spender: Hex): Hex =>
  encodeFunctionData({ abi: tokenAbi, functionName: 'approve', args: [spender, most] })

/** The operation of a smart account, sent by the bundler: an allowance and the swap. */
function operationDraft(
  { entryPoint }: Contracts,
  bundler: Hex,
  { token, call, intent, nonce }: { token: Hex | 'native'; call: SwapCall; intent: Intent; nonce: bigint },
): Draft {
  const calls = [
    ...(token === 'native' ? [] : [{ target: token, value: 0n, data: approval(call.spender) }]),
    { target: call.to, value: call.value, data: call.data },
  ]
  const callData = encodeFunctionData({ abi: accountsAbi, functionName: 'executeBatch', args: [calls] })
  const operations = [{ sender: intent.wallet, nonce, callData }]
  const data = encodeFunctionData({ abi: accountsAbi, functionName: 'handleOps', args: [operations, bundler] })
  return { from: bundler, to: entryPoint, data, value: 0n, trades: [intent] }
}
