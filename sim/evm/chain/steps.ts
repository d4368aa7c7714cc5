import type { Hex } from 'viem'
import { encodeFunctionData } from 'viem/utils'

import { token as tokenAbi } from '#sim/evm/contracts/abi.ts'
import { rawDollars, rawTokens, v2Out } from '#sim/evm/contracts/price.ts'
import { launchCall } from '#sim/evm/contracts/setup.ts'
import type { LocalNode } from '#sim/evm/node/start_node.ts'
import type { Actor, Step } from '#sim/evm/types.ts'

import { supply, toward } from './crowd.ts'
import type { Desk } from './desk.ts'
import { coinPrice, quoteOf, rawPaid } from './quotes.ts'
import { aggregatorData, poolFee, swapCall } from './swap_calls.ts'

type Of<K extends Step['kind']> = Extract<Step, { kind: K }>

const shareOf = (amount: bigint, share: number): bigint => (amount * BigInt(Math.round(share * 10_000))) / 10_000n

/** Adds the transactions of a step to its block. A wallet without the means does nothing. */
export async function take(node: LocalNode, desk: Desk, step: Step): Promise<void> {
  switch (step.kind) {
    case 'fund':
      return mint(desk, step)
    case 'swap':
      return swap(desk, step)
    case 'toward':
      return toward(desk, step)
    case 'supply':
      return supply(desk, step)
    case 'launch':
      return launch(desk, step)
    case 'arbitrage':
      return arbitrage(node, desk, step)
    case 'send':
      return send(desk, step)
    case 'airdrop':
      return airdrop(desk, step)
    case 'sandwich':
      return sandwich(desk, step)
    case 'fail':
      return fail(desk, step)
  }
}

const actorOf = ({ plan }: Desk, index: number): Actor => {
  const actor = plan.actors[index]
  if (actor === undefined) throw new Error(`actor ${index}: unknown; expected one of the plan`)
  return actor
}

function mint(desk: Desk, { actor, usd }: Of<'fund'>): void {
  const data = encodeFunctionData({
    abi: tokenAbi,
    functionName: 'mint',
    args: [desk.addressOf(actor), rawDollars(usd)],
  })
  desk.send({ from: desk.addressOf(0), to: desk.contracts.dollar, data, value: 0n, trades: [] })
}

function swap(desk: Desk, { actor: index, from, to, route, usd, share }: Of<'swap'>): void {
  const { pools, contracts } = desk
  const actor = actorOf(desk, index)
  const [sold, bought] = [desk.assetOf(from), desk.assetOf(to)]
  const paid = from === 'native' ? (usd ?? 0) / coinPrice(pools, contracts) : (usd ?? 0)
  const held = desk.held(desk.addressOf(actor), sold)
  const amount = share === undefined ? rawPaid(sold, contracts, paid) : shareOf(held, share)
  const token = from === 'native' ? bought : sold
  const isNative = from === 'native' || to === 'native'
  // A pool of V2 with the native coin is there for launched tokens and the dollar alone.
  const isThroughDollar = isNative && route === 'v2' && pools.find('v2', 'native', token) === undefined
  desk.swap(actor, { route, from: sold, to: bought, amount, isThroughDollar })
}

function launch(desk: Desk, { token }: Of<'launch'>): void {
  const team = actorOf(desk, 0)
  const planned = desk.plan.tokens[token]
  const address = desk.tokens[token]
  if (planned === undefined || address === undefined) return
  const coin_usd = coinPrice(desk.pools, desk.contracts)
  const [to, data, value = 0n] = launchCall(desk.contracts, desk.addressOf(team), address, planned, coin_usd)
  desk.send({ from: desk.addressOf(team), to, data, value, trades: [], gas: 12_000_000 })
}

/** Dollars that an arbitrageur tries. */
const tries_usd = [200, 500, 1_000, 2_000, 4_000, 8_000]

/** A round trip from dollars to dollars through two pools whose prices differ; none if there is no gain. */
async function arbitrage(node: LocalNode, desk: Desk, { actor: index, token }: Of<'arbitrage'>): Promise<void> {
  const { contracts, tokens } = desk
  const { dollar, aggregator } = contracts
  const actor = actorOf(desk, index)
  const [from, middle] = [desk.addressOf(actor), tokens[token]]
  if (middle === undefined) return
  if (!desk.approved.has(`${from} ${dollar} ${aggregator}`)) return desk.approve(actor, dollar, aggregator)
  const routes = [[0, poolFee.token] as const, [poolFee.token, 0] as const].map(([first, second]) => [
    { fee: first, tokenIn: dollar, tokenOut: middle, share: 10_000n },
    { fee: second, tokenIn: middle, tokenOut: dollar, share: 10_000n },
  ])
  const options = routes.flatMap((hops) => tries_usd.map((usd) => ({ hops, amount: rawDollars(usd) })))
  const dataOf = ({ hops, amount }: (typeof options)[number]): Hex =>
    aggregatorData(dollar, amount, dollar, amount + 1n, hops)
  const outs = await node.settle(
    options.map((option) => ['eth_call', { from, to: aggregator, data: dataOf(option) }, 'latest']),
  )
  const best = options
    .map((option, n) => ({ option, gain: outs[n] === undefined ? 0n : BigInt(outs[n] as Hex) - option.amount }))
    .reduce((a, b) => (b.gain > a.gain ? b : a))
  if (best.gain <= 0n || desk.held(from, dollar) < best.option.amount) return
  const trade = { wallet: from, sold: dollar, amount_sold: best.option.amount, bought: dollar }
  desk.send({ from, to: aggregator, data: dataOf(best.option), value: 0n, trades: [trade], mayFail: true })
}

function send(desk: Desk, { actor, to, token, share }: Of<'send'>): void {
  const [from, asset] = [desk.addressOf(actor), desk.assetOf(token)]
  const amount = shareOf(desk.held(from, asset), share)
  if (asset === 'native' || amount === 0n) return
  const data = encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args: [desk.addressOf(to), amount] })
  desk.send({ from, to: asset, data, value: 0n, trades: [] })
}

function airdrop(desk: Desk, { token, to, amount }: Of<'airdrop'>): void {
  const asset = desk.assetOf(token)
  if (asset === 'native') return
  const args = [to.map((index) => desk.addressOf(index)), rawTokens(amount)] as const
  const data = encodeFunctionData({ abi: tokenAbi, functionName: 'airdrop', args })
  desk.send({ from: desk.addressOf(0), to: asset, data, value: 0n, trades: [] })
}

/** A purchase before that of a victim and a sale of the same amount after it, in one block. */
function sandwich(desk: Desk, { actor: index, victim, token, usd }: Of<'sandwich'>): void {
  const { pools, contracts } = desk
  const [actor, other, asset] = [actorOf(desk, index), actorOf(desk, victim), desk.assetOf(token)]
  const quote = quoteOf(pools, contracts, 'v2', asset, contracts.dollar)
  if (asset === 'native' || quote === undefined || desk.drafts.length > 0) return
  const { reserve0, reserve1 } = pools.reservesOf(quote.pool)
  const [into, out] = quote.pool.token0 === asset ? [reserve1, reserve0] : [reserve0, reserve1]
  const amount = rawDollars(usd)
  const bought = v2Out(amount, into, out)
  desk.approve(actor, asset, contracts.v2Router)
  if (!desk.swap(actor, { route: 'v2', from: contracts.dollar, to: asset, amount })) return
  desk.swap(other, { route: 'v2', from: contracts.dollar, to: asset, amount: rawDollars(usd / 2) })
  const from = desk.addressOf(actor)
  const call = swapCall(contracts, { route: 'v2', from: asset, to: contracts.dollar, amount: bought, recipient: from })
  const trade = { wallet: from, sold: asset, amount_sold: bought, bought: contracts.dollar }
  desk.send({ from, to: call.to, data: call.data, value: 0n, trades: [trade] })
}

/** A swap that demands more than there is, and is reverted. */
function fail(desk: Desk, { actor: index, token }: Of<'fail'>): void {
  const { contracts } = desk
  const actor = actorOf(desk, index)
  if (actor.isAccount) return
  const [wallet, asset] = [desk.addressOf(actor), desk.assetOf(token)]
  const order = {
    route: 'v3',
    from: contracts.dollar,
    to: asset,
    amount: rawDollars(10),
    recipient: wallet,
    least: 2n ** 200n,
  } as const
  const call = swapCall(contracts, order)
  desk.send({ from: wallet, to: call.to, data: call.data, value: 0n, trades: [], mayFail: true, gas: 400_000 })
}
