import fc from 'fast-check'

import { conditionIdOf, questionIdOf, tokenIds } from '#sources/markets/polymarket/chain/position_ids.ts'

import { matchV1, matchV2, throughAdapter, type TestOrder } from './matching.ts'
import { at, type Settlement, type TestMarket } from './settlement.ts'
import { convert, redeem, type Way } from './wallet_actions.ts'

export const wallets = Array.from({ length: 5 }, (_, n) => `0x${String(n + 1).padStart(40, 'b')}`)
const standard: TestMarket[] = ['c', 'd'].map((digit) => {
  const condition = `0x${digit.repeat(64)}`
  return { condition, tokens: tokenIds(condition, false) }
})
export const group = `0x${'e'.repeat(62)}00`
export const questions = Array.from({ length: 4 }, (_, index): TestMarket => {
  const condition = conditionIdOf(at.adapter, questionIdOf(group, index))
  return { condition, tokens: tokenIds(condition, true), group, index }
})
export const allMarkets = [...standard, ...questions]
export const markets = {
  byCondition: new Map(allMarkets.map((market) => [market.condition, market])),
  byGroup: new Map([[group, { group, questions }]]),
}

/** An action by numbers, which choose its kind, wallets, market and amounts. */
export const actions = fc.array(
  fc.record({
    kind: fc.constantFrom('v1', 'v2', 'split', 'merge', 'convert', 'redeem', 'transfer', 'batch'),
    a: fc.nat(4),
    b: fc.nat(4),
    market: fc.nat(5),
    isBuy: fc.boolean(),
    isSame: fc.boolean(),
    outcome: fc.constantFrom(0 as const, 1 as const),
    price: fc.integer({ min: 1_000, max: 999_000 }),
    size: fc.integer({ min: 1, max: 40_000_000 }),
    n_makers: fc.integer({ min: 1, max: 3 }),
    ceiling: fc.constantFrom(0n, 200n, 1_000n),
    kept: fc.constantFrom(0n, 20n, 100n),
    set: fc.integer({ min: 1, max: 7 }),
    n_questions: fc.constantFrom(3, 4),
    isV2: fc.boolean(),
    way: fc.constantFrom<Way>('direct', 'adapter', 'auto'),
    numerators: fc.constantFrom<[bigint, bigint]>([1n, 0n], [0n, 1n], [1n, 1n]),
    isEnd: fc.boolean(),
  }),
  { minLength: 1, maxLength: 12 },
)
export type Action = typeof actions extends fc.Arbitrary<(infer A)[]> ? A : never

const million = 1_000_000n

/** Wallets get the shares that they are about to give by a split. */
function supply(state: Settlement, wallet: string, market: TestMarket, outcome: 0 | 1, amount: bigint): void {
  if (state.has(wallet, market.tokens[outcome]) < amount)
    (market.group === undefined ? state.split : state.adapterSplit)(wallet, market, amount)
}

function trade(state: Settlement, action: Action): void {
  const { kind, a, b, market: n, isBuy, isSame, outcome, n_makers, ceiling, kept } = action
  const market = allMarkets[n]
  if (market === undefined) return
  const [price, size] = [BigInt(action.price), BigInt(action.size)]
  const makers = Array.from({ length: n_makers }, (_, each): TestOrder => {
    const isPair = isSame && each % 2 === 0
    const side = isPair ? isBuy : !isBuy
    const own = isPair ? ((1 - outcome) as 0 | 1) : outcome
    return {
      wallet: wallets[(b + each) % 5] ?? '',
      isBuy: side,
      outcome: own,
      price: isPair ? million - price : price,
      size: size + BigInt(each),
    }
  })
  const taker: TestOrder = { wallet: wallets[a] ?? '', isBuy, outcome, price, size }
  const total = makers.reduce((sum, maker) => sum + maker.size, 0n)
  for (const maker of makers) if (!maker.isBuy) supply(state, maker.wallet, market, maker.outcome, maker.size)
  // A wallet on several sides needs the shares of each.
  for (const maker of makers) if (!maker.isBuy) supply(state, maker.wallet, market, maker.outcome, total * 2n)
  if (!isBuy) supply(state, taker.wallet, market, outcome, total * 3n)
  state.end()
  const match = kind === 'v1' ? matchV1 : matchV2
  match(state, market, taker, makers, { ceiling_bps: ceiling, kept })
}

/** Does an action. A market is resolved before the first redemption. */
export function act(state: Settlement, action: Action): void {
  const wallet = wallets[action.a] ?? ''
  const other = wallets[action.b] ?? ''
  const market = allMarkets[action.market]
  if (market === undefined) return
  const size = BigInt(action.size)
  const direct =
    market.group === undefined
      ? { split: state.split, merge: state.merge }
      : { split: state.adapterSplit, merge: state.adapterMerge }
  switch (action.kind) {
    case 'split':
      return action.isV2
        ? throughAdapter(state, market, wallet).split(wallet, size)
        : direct.split(wallet, market, size)
    case 'merge': {
      const [a, b] = market.tokens.map((token) => state.has(wallet, token))
      const least = (a ?? 0n) < (b ?? 0n) ? (a ?? 0n) : (b ?? 0n)
      if (least === 0n) return
      return action.isV2
        ? throughAdapter(state, market, wallet).merge(wallet, least)
        : direct.merge(wallet, market, least)
    }
    case 'convert': {
      const indexes = [0, 1, 2].filter((n) => ((action.set >> n) & 1) === 1)
      for (const n of indexes) {
        const question = questions[n]
        if (question !== undefined) supply(state, wallet, question, 1, size)
      }
      return convert(
        state,
        { group, questions },
        { wallet, indexes, amount: size, n_questions: action.n_questions, isV2: action.isV2 },
      )
    }
    case 'redeem':
      return redeem(state, market, { wallet, numerators: state.resolve(market, action.numerators), way: action.way })
    case 'transfer':
      supply(state, wallet, market, action.outcome, size)
      return state.send(wallet, wallet, other, market.tokens[action.outcome], size)
    case 'batch':
      supply(state, wallet, market, 0, size)
      supply(state, wallet, market, 1, size)
      return state.sendBatch(
        wallet,
        wallet,
        other,
        market.tokens.map((token) => [token, size] as const),
      )
    default:
      return trade(state, action)
  }
}
