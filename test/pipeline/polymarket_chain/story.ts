import type { Hex } from 'viem'
import { encodeFunctionData, numberToHex } from 'viem/utils'

import { createRandom } from '#sim/random.ts'

import { abi, at, group, none, type SharesChain, type SharesMarket } from './shares_chain.ts'

/** Shares that one person gave to another one, after the payout of their market. */
export type Given = { from: Hex; to: Hex; token: bigint; size: bigint }

const pair = [1n, 2n] as const

/**
 * Plays random actions of the wallets on the chain: splits, merges, matches of each kind with refunds, conversions,
 * and transfers between the addresses of one owner. Then all markets resolve, and some redeem. Returns the payout of a
 * share of each token in millionths, and what was given after the payouts.
 */
export async function playStory(chain: SharesChain, seed: number, n_actions: number) {
  const random = createRandom(seed, 36)
  const { send, wallets, markets, owner, safe } = chain
  const data = encodeFunctionData
  const amount = (): bigint => BigInt(1_000 + random.below(29_999_001))
  const isQuestion = ({ index }: SharesMarket): boolean => index !== undefined
  const split = (wallet: Hex, market: SharesMarket, size: bigint): Promise<void> =>
    isQuestion(market)
      ? send(wallet, at.adapter, data({ abi, functionName: 'splitPosition', args: [market.condition, size] }))
      : send(
          wallet,
          at.ctf,
          data({ abi, functionName: 'splitPosition', args: [at.dollars, none, market.condition, pair, size] }),
        )
  /** Gives a wallet the shares that it is about to use. */
  const supply = async (wallet: Hex, market: SharesMarket, outcome: 0 | 1, size: bigint): Promise<void> => {
    if ((await chain.sharesOf(wallet, market.tokens[outcome])) < size) await split(wallet, market, size)
  }
  const merge = async (wallet: Hex, market: SharesMarket): Promise<void> => {
    const [a, b] = [await chain.sharesOf(wallet, market.tokens[0]), await chain.sharesOf(wallet, market.tokens[1])]
    const size = (a < b ? a : b) / BigInt(1 + random.below(3))
    if (size === 0n) return
    if (isQuestion(market))
      await send(wallet, at.adapter, data({ abi, functionName: 'mergePositions', args: [market.condition, size] }))
    else
      await send(
        wallet,
        at.ctf,
        data({ abi, functionName: 'mergePositions', args: [at.dollars, none, market.condition, pair, size] }),
      )
  }
  let n_orders = 0
  const trade = async (market: SharesMarket): Promise<void> => {
    const price = BigInt(20_000 + random.below(960_001))
    const isBuy = random.chance(0.5)
    const outcome: 0 | 1 = random.chance(0.5) ? 0 : 1
    const makers = Array.from({ length: 1 + random.below(3) }, () => {
      // The exchange mints and merges the pairs of standard markets.
      const isPair = !isQuestion(market) && random.chance(0.5)
      const size = amount()
      const ofMaker = isPair
        ? { isBuy, outcome: outcome === 0 ? (1 as const) : (0 as const) }
        : { isBuy: !isBuy, outcome }
      const cash = (size * (isPair ? 1_000_000n - price : price)) / 1_000_000n
      // A pair is minted for its dollars: what the maker does not pay, the taker does.
      return { ...ofMaker, size, cash, isPair, wallet: random.pick(wallets) }
    })
    const taker = random.pick(wallets)
    const size = makers.reduce((sum, each) => sum + each.size, 0n)
    const cash = makers.reduce((sum, each) => sum + (each.isPair ? each.size - each.cash : each.cash), 0n)
    for (const each of makers) if (!each.isBuy) await supply(each.wallet, market, each.outcome, size * 2n)
    if (!isBuy) await supply(taker, market, outcome, size * 3n)
    const orderOf = (
      each: { wallet: Hex; isBuy: boolean; outcome: 0 | 1; size: bigint; cash: bigint },
      extra: bigint,
    ) => {
      const token = market.tokens[each.outcome]
      const [making, taking] = each.isBuy ? [each.cash, each.size] : [each.size, each.cash]
      const ids = each.isBuy ? { gives: 0n, gets: token } : { gives: token, gets: 0n }
      const fee = taking / BigInt(20 + random.below(381))
      return {
        id: numberToHex(++n_orders, { size: 32 }),
        maker: each.wallet,
        ...ids,
        making: making + extra,
        taking,
        fee,
      }
    }
    const orders = makers.map((each) => orderOf(each, 0n))
    // A buyer may offer more than the makers take; the rest comes back.
    const offered = isBuy ? BigInt(random.below(5_001)) : 0n
    const order = orderOf({ wallet: taker, isBuy, outcome, size, cash }, offered)
    const refunds = [order, ...orders].map(({ fee }) => (random.chance(0.3) ? fee : fee / 2n))
    await send(
      chain.operator,
      at.feeModule,
      data({ abi, functionName: 'matchOrders', args: [market.condition, order, orders, refunds] }),
    )
  }
  const convert = async (wallet: Hex): Promise<void> => {
    const questions = markets.filter((market) => isQuestion(market))
    const set = 1 + random.below(7)
    const size = amount()
    for (const { index = 0, ...market } of questions)
      if (((set >> index) & 1) === 1) await supply(wallet, { index, ...market }, 1, size)
    await send(wallet, at.adapter, data({ abi, functionName: 'convertPositions', args: [group, BigInt(set), size] }))
  }
  const consolidate = async (market: SharesMarket): Promise<void> => {
    const [from, to] = random.chance(0.5) ? [owner, safe] : [safe, owner]
    await supply(from, market, 0, amount())
    const values = [await chain.sharesOf(from, market.tokens[0]), (await chain.sharesOf(from, market.tokens[1])) / 2n]
    const batch = { abi, functionName: 'safeBatchTransferFrom', args: [from, to, market.tokens, values, '0x'] } as const
    if (random.chance(0.5)) return send(from, at.ctf, data(batch))
    const single = [from, to, market.tokens[0], values[0] ?? 0n, '0x'] as const
    return send(from, at.ctf, data({ abi, functionName: 'safeTransferFrom', args: single }))
  }
  const actions = [
    () => split(random.pick(wallets), random.pick(markets), amount()),
    () => merge(random.pick(wallets), random.pick(markets)),
    () => trade(random.pick(markets)),
    () => trade(random.pick(markets)),
    () => convert(random.pick(wallets)),
    () => consolidate(random.pick(markets)),
  ]
  for (let n = 0; n < n_actions; n++) {
    // The group gets a question later: earlier conversions do not have it.
    if (n === n_actions >> 1) await chain.prepareQuestion(3)
    await (actions[n % actions.length] ?? actions[0])?.()
  }
  const payouts = await resolveAll(chain, random)
  for (const market of markets)
    for (const wallet of wallets) if (random.chance(0.5)) await redeem(chain, wallet, market)
  return { payouts, given: await giveAway(chain, random) }
}

type Random = ReturnType<typeof createRandom>

/** Reports all markets: of standard ones also halves. */
async function resolveAll({ send, operator, markets }: SharesChain, random: Random): Promise<Map<bigint, bigint>> {
  const payouts = new Map<bigint, bigint>()
  for (const { tokens, question, index } of markets) {
    const parts: [bigint, bigint] =
      index === undefined && random.chance(0.3) ? [1n, 1n] : random.chance(0.5) ? [1n, 0n] : [0n, 1n]
    if (index === undefined)
      await send(operator, at.ctf, encodeFunctionData({ abi, functionName: 'reportPayouts', args: [question, parts] }))
    else
      await send(
        operator,
        at.adapter,
        encodeFunctionData({ abi, functionName: 'reportOutcome', args: [group, BigInt(index), parts[0] === 1n] }),
      )
    for (const [outcome, token] of tokens.entries())
      payouts.set(token, ((parts[outcome] ?? 0n) * 1_000_000n) / (parts[0] + parts[1]))
  }
  return payouts
}

async function redeem(chain: SharesChain, wallet: Hex, { condition, tokens, index }: SharesMarket): Promise<void> {
  const amounts = [await chain.sharesOf(wallet, tokens[0]), await chain.sharesOf(wallet, tokens[1])]
  const args = [at.dollars, none, condition, pair] as const
  if (index === undefined)
    return chain.send(wallet, at.ctf, encodeFunctionData({ abi, functionName: 'redeemPositions', args }))
  return chain.send(
    wallet,
    at.adapter,
    encodeFunctionData({ abi, functionName: 'redeemPositions', args: [condition, amounts] }),
  )
}

/** Each wallet gives half of a token that it still has to the next one. */
async function giveAway(chain: SharesChain, random: Random): Promise<Given[]> {
  const all: Given[] = []
  for (const [n, from] of chain.wallets.slice(0, -1).entries()) {
    const to = chain.wallets[(n + 1) % (chain.wallets.length - 1)] ?? from
    const token = random.pick(random.pick(chain.markets).tokens)
    const size = (await chain.sharesOf(from, token)) / 2n
    if (size === 0n) continue
    const args = [from, to, token, size, '0x'] as const
    await chain.send(from, at.ctf, encodeFunctionData({ abi, functionName: 'safeTransferFrom', args }))
    all.push({ from, to, token, size })
  }
  return all
}
