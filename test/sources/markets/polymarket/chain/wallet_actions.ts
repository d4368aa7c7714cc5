import { throughAdapter } from './matching.ts'
import { at, none, type Settlement, type TestMarket } from './settlement.ts'

/** A group of neg-risk questions, in the order of their indexes; later ones may not be prepared yet. */
export type TestGroup = { group: string; questions: readonly TestMarket[] }

/** Converts NO shares of questions, directly or through a collateral adapter. `n_questions` are prepared by now. */
export function convert(
  state: Settlement,
  { group, questions }: TestGroup,
  {
    wallet,
    indexes,
    amount,
    n_questions,
    isV2,
  }: { wallet: string; indexes: readonly number[]; amount: bigint; n_questions: number; isV2: boolean },
): void {
  const caller = isV2 ? at.negRiskCollateral : wallet
  const tokens = (n: number): readonly [string, string] => questions[n]?.tokens ?? ['', '']
  const nos = indexes.map((n) => [tokens(n)[1], amount] as const)
  const others = Array.from({ length: n_questions }, (_, n) => n).filter((n) => !indexes.includes(n))
  if (isV2) state.sendBatch(at.negRiskCollateral, wallet, caller, nos)
  // The adapter lends itself the dollars of the pairs, whose NO shares it burns.
  for (const n of others) {
    const question = questions[n]
    if (question !== undefined) state.split(at.adapter, question, amount)
  }
  state.sendBatch(at.adapter, caller, at.burn, nos)
  if (others.length > 0)
    state.sendBatch(
      at.adapter,
      at.adapter,
      at.burn,
      others.map((n) => [tokens(n)[1], amount] as const),
    )
  const dollars = BigInt(indexes.length - 1) * amount
  if (dollars > 0n) state.pay(at.adapter, caller, dollars)
  const yes = others.map((n) => [tokens(n)[0], amount] as const)
  if (yes.length > 0) state.sendBatch(at.adapter, at.adapter, caller, yes)
  const indexSet = `0x${indexes
    .reduce((set, n) => set | (1n << BigInt(n)), 0n)
    .toString(16)
    .padStart(64, '0')}`
  state.emit(at.adapter, 'converted', { stakeholder: caller, marketId: group, indexSet: BigInt(indexSet), amount })
  if (!isV2) return
  if (yes.length > 0) state.sendBatch(at.negRiskCollateral, caller, wallet, yes)
  if (dollars > 0n) state.pay(caller, wallet, dollars)
}

export type Way = 'direct' | 'adapter' | 'auto'

/** Redeems all shares of a wallet: at the contract, through a collateral adapter, or by the auto redeemer for it. */
export function redeem(
  state: Settlement,
  market: TestMarket,
  { wallet, numerators, way }: { wallet: string; numerators: readonly [bigint, bigint]; way: Way },
): void {
  const isNegRisk = market.group !== undefined
  const held = market.tokens.map((token) => [token, state.has(wallet, token)] as const)
  if (way === 'direct') return redeemFor(state, market, wallet, numerators)
  const { adapter } = throughAdapter(state, market, wallet)
  if (way === 'auto') {
    state.sendBatch(at.autoRedeemer, wallet, at.autoRedeemer, held)
    state.sendBatch(at.autoRedeemer, at.autoRedeemer, adapter, held)
  } else state.sendBatch(adapter, wallet, adapter, held)
  const before = state.cash.get(adapter) ?? 0n
  redeemFor(state, market, adapter, numerators)
  state.pay(adapter, wallet, (state.cash.get(adapter) ?? 0n) - before)
  if (isNegRisk && held.some(([token]) => state.has(adapter, token) > 0n)) throw new Error('the adapter kept shares')
}

function redeemFor(state: Settlement, market: TestMarket, caller: string, numerators: readonly [bigint, bigint]): void {
  const amounts = market.tokens.map((token) => state.has(caller, token))
  if (market.group === undefined) {
    redeemAtCtf(state, market, caller, numerators)
    return
  }
  state.sendBatch(
    at.adapter,
    caller,
    at.adapter,
    market.tokens.map((token, n) => [token, amounts[n] ?? 0n] as const),
  )
  const payout = redeemAtCtf(state, market, at.adapter, numerators)
  state.pay(at.adapter, caller, payout)
  state.emit(at.adapter, 'adapterRedeem', { redeemer: caller, conditionId: market.condition, amounts, payout })
}

/** Burns each token that the caller has by itself, for its part. */
function redeemAtCtf(
  state: Settlement,
  market: TestMarket,
  caller: string,
  numerators: readonly [bigint, bigint],
): bigint {
  let payout = 0n
  for (const [n, token] of market.tokens.entries()) {
    const stake = state.has(caller, token)
    if (stake === 0n) continue
    payout += (stake * (numerators[n] ?? 0n)) / (numerators[0] + numerators[1])
    state.send(caller, caller, at.zero, token, stake)
  }
  state.pay(at.ctf, caller, payout)
  state.emit(at.ctf, 'redeem', {
    redeemer: caller,
    collateralToken: market.group === undefined ? at.usdce : at.wcol,
    parentCollectionId: none,
    conditionId: market.condition,
    indexSets: [1n, 2n],
    payout,
  })
  return payout
}
