import { at, none, type Settlement, type TestMarket } from './settlement.ts'

/** An order of a match: the outcome, the side, and the price in millionths. */
export type TestOrder = { wallet: string; isBuy: boolean; outcome: 0 | 1; price: bigint; size: bigint }

/** How an exchange charges: a ceiling in basis points that V1 takes, and what it keeps of it, in hundredths. */
export type Charge = { ceiling_bps: bigint; kept: bigint }

const million = 1_000_000n

/** What the formula of the exchanges charges: in shares for a purchase of V1, in dollars else. */
function feeOf(order: TestOrder, size: bigint, { ceiling_bps }: Charge, isV1: boolean): bigint {
  const least = order.price < million - order.price ? order.price : million - order.price
  if (isV1 && order.isBuy) return (ceiling_bps * least * size) / (order.price * 10_000n)
  return (ceiling_bps * least * size) / (million * 10_000n)
}

/**
 * Matches a taker with makers, as V1 does: the taker's whole order goes to the exchange, which settles with each maker,
 * charges each, and sends back what is left. Then the fee module gives back what it does not keep.
 */
export function matchV1(
  state: Settlement,
  market: TestMarket,
  taker: TestOrder,
  makers: readonly TestOrder[],
  charge: Charge,
): void {
  const exchange = market.group === undefined ? at.v1 : at.negRiskV1
  const size = makers.reduce((sum, maker) => sum + maker.size, 0n)
  const limit = (taker.price * size) / million + 7n
  const token = market.tokens[taker.outcome]
  const refunds: { order: string; order_fee: bigint; refund: bigint; maker: TestOrder }[] = []
  const takerOrder = state.nextOrder()
  if (taker.isBuy) state.pay(taker.wallet, exchange, limit)
  else state.send(exchange, taker.wallet, exchange, token, size)
  const fill = (order: string, maker: TestOrder, counterparty: string, making: bigint, taking: bigint): void => {
    const fee = feeOf(maker, maker.isBuy ? taking : making, charge, true)
    const own = market.tokens[maker.outcome]
    if (maker.isBuy) {
      state.send(exchange, exchange, maker.wallet, own, taking - fee)
      if (fee > 0n) state.send(exchange, exchange, at.feeModule, own, fee)
    } else {
      state.pay(exchange, maker.wallet, taking - fee)
      state.pay(exchange, at.feeModule, fee)
    }
    const ids = maker.isBuy ? [0n, BigInt(own)] : [BigInt(own), 0n]
    state.emit(exchange, 'filledV1', {
      orderHash: order,
      maker: maker.wallet,
      taker: counterparty,
      makerAssetId: ids[0],
      takerAssetId: ids[1],
      makerAmountFilled: making,
      takerAmountFilled: taking,
      fee,
    })
    refunds.push({ order, order_fee: fee, refund: fee - (fee * charge.kept) / 100n, maker })
  }
  for (const maker of makers) {
    const cash = (maker.price * maker.size) / million
    const own = market.tokens[maker.outcome]
    if (maker.isBuy) state.pay(maker.wallet, exchange, cash)
    else state.send(exchange, maker.wallet, exchange, own, maker.size)
    if (maker.isBuy === taker.isBuy) {
      const act = pairing(state, market, exchange)
      if (maker.isBuy) act.split(maker.size)
      else act.merge(maker.size)
    }
    fill(state.nextOrder(), maker, taker.wallet, maker.isBuy ? cash : maker.size, maker.isBuy ? maker.size : cash)
  }
  const received = taker.isBuy ? state.has(exchange, token) : (state.cash.get(exchange) ?? 0n)
  fill(takerOrder, taker, exchange, taker.isBuy ? limit : size, received)
  const left = state.cash.get(exchange) ?? 0n
  if (left > 0n) state.pay(exchange, taker.wallet, left)
  const [given, got] = taker.isBuy ? [0n, BigInt(token)] : [BigInt(token), 0n]
  state.emit(exchange, 'matchedV1', {
    takerOrderHash: takerOrder,
    takerOrderMaker: taker.wallet,
    makerAssetId: given,
    takerAssetId: got,
    makerAmountFilled: taker.isBuy ? limit : size,
    takerAmountFilled: received,
  })
  for (const { order, order_fee, refund, maker } of refunds) {
    if (refund === 0n) continue
    const own = market.tokens[maker.outcome]
    if (maker.isBuy) state.send(at.feeModule, at.feeModule, maker.wallet, own, refund)
    else state.pay(at.feeModule, maker.wallet, refund)
    state.emit(at.feeModule, 'refunded', {
      orderHash: order,
      to: maker.wallet,
      id: maker.isBuy ? BigInt(own) : 0n,
      refund,
      feeCharged: order_fee - refund,
    })
  }
}

/** How an exchange mints and merges pairs: at the conditional tokens, or at an adapter that hands them on. */
function pairing(state: Settlement, market: TestMarket, exchange: string) {
  const isNegRisk = market.group !== undefined
  return {
    split: (amount: bigint) => (isNegRisk ? state.adapterSplit : state.split)(exchange, market, amount),
    merge: (amount: bigint) => (isNegRisk ? state.adapterMerge : state.merge)(exchange, market, amount),
  }
}

/** Matches as V2 does: shares and dollars go from wallet to wallet, pairs through a collateral adapter. */
export function matchV2(
  state: Settlement,
  market: TestMarket,
  taker: TestOrder,
  makers: readonly TestOrder[],
  charge: Charge,
): void {
  const isNegRisk = market.group !== undefined
  const exchange = isNegRisk ? at.negRiskV2 : at.v2
  const size = makers.reduce((sum, maker) => sum + maker.size, 0n)
  const takerOrder = state.nextOrder()
  const token = market.tokens[taker.outcome]
  let paid = 0n
  const emitFill = (
    order: string,
    maker: TestOrder,
    counterparty: string,
    cash: bigint,
    shares: bigint,
    fee: bigint,
  ): void =>
    state.emit(exchange, 'filledV2', {
      orderHash: order,
      maker: maker.wallet,
      taker: counterparty,
      side: maker.isBuy ? 0 : 1,
      tokenId: BigInt(market.tokens[maker.outcome]),
      makerAmountFilled: maker.isBuy ? cash : shares,
      takerAmountFilled: maker.isBuy ? shares : cash,
      fee,
      builder: none,
      metadata: none,
    })
  for (const maker of makers) {
    const cash = (maker.price * maker.size) / million
    const own = market.tokens[maker.outcome]
    if (maker.isBuy === taker.isBuy) {
      paid += maker.size - cash
      if (taker.isBuy) {
        state.pay(maker.wallet, exchange, cash)
        state.pay(taker.wallet, exchange, maker.size - cash)
        throughAdapter(state, market, exchange).split(exchange, maker.size)
        state.send(exchange, exchange, maker.wallet, own, maker.size)
        state.send(exchange, exchange, taker.wallet, token, maker.size)
      } else {
        state.send(exchange, maker.wallet, exchange, own, maker.size)
        state.send(exchange, taker.wallet, exchange, token, maker.size)
        throughAdapter(state, market, exchange).merge(exchange, maker.size)
        state.pay(exchange, maker.wallet, cash)
        state.pay(exchange, taker.wallet, maker.size - cash)
      }
    } else {
      paid += cash
      const [seller, buyer] = taker.isBuy ? [maker.wallet, taker.wallet] : [taker.wallet, maker.wallet]
      state.send(exchange, seller, buyer, token, maker.size)
      state.pay(buyer, seller, cash)
    }
    emitFill(state.nextOrder(), maker, taker.wallet, cash, maker.size, 0n)
  }
  const fee = (feeOf(taker, size, charge, false) * charge.kept) / 100n
  state.pay(taker.wallet, '0x115f48dc2a731aa16251c6d6e1befc42f92accc9', fee)
  emitFill(takerOrder, taker, exchange, paid, size, fee)
  state.emit(exchange, 'matchedV2', {
    takerOrderHash: takerOrder,
    takerOrderMaker: taker.wallet,
    side: taker.isBuy ? 0 : 1,
    tokenId: BigInt(token),
    makerAmountFilled: taker.isBuy ? paid : size,
    takerAmountFilled: taker.isBuy ? size : paid,
  })
}

/** The collateral adapters, which split and merge for a wallet or an exchange. */
export function throughAdapter(state: Settlement, market: TestMarket, operator: string) {
  const isNegRisk = market.group !== undefined
  const adapter = isNegRisk ? at.negRiskCollateral : at.collateral
  const amounts = (amount: bigint) => market.tokens.map((token) => [token, amount] as const)
  return {
    adapter,
    split: (wallet: string, amount: bigint): void => {
      state.pay(wallet, adapter, amount)
      ;(isNegRisk ? state.adapterSplit : state.split)(adapter, market, amount)
      state.sendBatch(adapter, adapter, wallet, amounts(amount))
    },
    merge: (wallet: string, amount: bigint): void => {
      state.sendBatch(adapter, wallet, adapter, amounts(amount))
      ;(isNegRisk ? state.adapterMerge : state.merge)(adapter, market, amount)
      state.pay(adapter, wallet, amount)
    },
    operator,
  }
}
