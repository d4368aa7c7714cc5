import type { ChainLog } from '#sources/markets/polymarket/chain/chain_events.ts'

import { events, logOf } from './event_logs.ts'

/** The contracts, as the reference of the venue lists them. */
export const at = {
  ctf: '0x4d97dcd97ec945f40cf65f87097ace5ea0476045',
  v1: '0x4bfb41d5b3570defd03c39a9a4d8de6bd8b8982e',
  negRiskV1: '0xc5d563a36ae78145c45a50134d48a1215220f80a',
  v2: '0xe111180000d2663c0091e4f400237545b87b996b',
  negRiskV2: '0xe2222d279d744050d28e00520010520000310f59',
  adapter: '0xd91e80cf2e7be2e162c6513ced06f1dd0da35296',
  feeModule: '0xe3f18acc55091e2c48d883fc8c8413319d4ab7b0',
  collateral: '0xada100db00ca00073811820692005400218fce1f',
  negRiskCollateral: '0xada2005600dec949baf300f4c6120000bdb6eaab',
  autoRedeemer: '0xa1200000d0002264c9a1698e001292d00e1b00af',
  positionManager: '0x006f54f7f9a22e0000cc2ab60031000000ae9fef',
  binaryModule: '0x1000008dd9001b968442c1000017eae6e0da00ba',
  burn: '0xa5ef39c3d3e10d0b270233af41cac69796b12966',
  usdce: '0x2791bca1f2de4661ed88a30c99a7a9449aa84174',
  wcol: '0x3a3bd7bb9528e159577f7c2e685cc81a765002e2',
  zero: `0x${'0'.repeat(40)}`,
} as const

/** A market of two outcomes: its condition and tokens. A neg-risk market is question `index` of a group. */
export type TestMarket = { condition: string; tokens: readonly [string, string]; group?: string; index?: number }

const word = (digit: string): string => `0x${digit.repeat(64)}`
export const none = word('0')

/**
 * Balances of dollars and shares, which transactions change by the rules of the contracts, beside the logs that these
 * emit. The balances are the truth: no log is read to know them.
 */
export function openSettlement() {
  const cash = new Map<string, bigint>()
  const shares = new Map<string, bigint>()
  const transactions: ChainLog[][] = []
  let [open, n_logs, n_orders]: [ChainLog[], number, number] = [[], 0, 0]

  const emit = (address: string, event: keyof typeof events, args: Record<string, unknown>): void => {
    open.push({ ...logOf(address, events[event], args), log_index: n_logs++ })
  }
  const pay = (from: string, to: string, amount: bigint): void => {
    cash.set(from, (cash.get(from) ?? 0n) - amount)
    cash.set(to, (cash.get(to) ?? 0n) + amount)
  }
  const has = (holder: string, token: string): bigint => shares.get(`${holder} ${token}`) ?? 0n
  const shift = (from: string, to: string, token: string, amount: bigint): void => {
    if (from !== at.zero && has(from, token) < amount)
      throw new Error(`${from} has ${has(from, token)} of ${token}; expected ${amount}`)
    if (from !== at.zero) shares.set(`${from} ${token}`, has(from, token) - amount)
    if (to !== at.zero) shares.set(`${to} ${token}`, has(to, token) + amount)
  }
  const send = (operator: string, from: string, to: string, token: string, value: bigint): void => {
    shift(from, to, token, value)
    emit(at.ctf, 'single', { operator, from, to, id: BigInt(token), value })
  }
  const sendBatch = (
    operator: string,
    from: string,
    to: string,
    amounts: readonly (readonly [string, bigint])[],
  ): void => {
    for (const [token, value] of amounts) shift(from, to, token, value)
    const [ids, values] = [amounts.map(([token]) => BigInt(token)), amounts.map(([, value]) => value)]
    emit(at.ctf, 'batch', { operator, from, to, ids, values })
  }
  const pairArgs = (stakeholder: string, { condition, group }: TestMarket, amount: bigint) => ({
    stakeholder,
    collateralToken: group === undefined ? at.usdce : at.wcol,
    parentCollectionId: none,
    conditionId: condition,
    partition: [1n, 2n],
    amount,
  })
  /** The conditional tokens: mints or burns a pair for the caller. */
  const split = (caller: string, market: TestMarket, amount: bigint): void => {
    pay(caller, at.ctf, amount)
    sendBatch(
      caller,
      at.zero,
      caller,
      market.tokens.map((token) => [token, amount] as const),
    )
    emit(at.ctf, 'split', pairArgs(caller, market, amount))
  }
  const merge = (caller: string, market: TestMarket, amount: bigint): void => {
    sendBatch(
      caller,
      caller,
      at.zero,
      market.tokens.map((token) => [token, amount] as const),
    )
    pay(at.ctf, caller, amount)
    emit(at.ctf, 'merge', pairArgs(caller, market, amount))
  }
  /** The neg-risk adapter: the same for its caller. */
  const adapterSplit = (caller: string, market: TestMarket, amount: bigint): void => {
    pay(caller, at.adapter, amount)
    split(at.adapter, market, amount)
    sendBatch(
      at.adapter,
      at.adapter,
      caller,
      market.tokens.map((token) => [token, amount] as const),
    )
    emit(at.adapter, 'adapterSplit', { stakeholder: caller, conditionId: market.condition, amount })
  }
  const adapterMerge = (caller: string, market: TestMarket, amount: bigint): void => {
    sendBatch(
      at.adapter,
      caller,
      at.adapter,
      market.tokens.map((token) => [token, amount] as const),
    )
    merge(at.adapter, market, amount)
    pay(at.adapter, caller, amount)
    emit(at.adapter, 'adapterMerge', { stakeholder: caller, conditionId: market.condition, amount })
  }
  const resolved = new Map<string, readonly [bigint, bigint]>()
  const fact = ({ condition, group, index }: TestMarket) => ({
    conditionId: condition,
    oracle: group === undefined ? at.v1 : at.adapter,
    questionId: group === undefined ? condition : `${group.slice(0, 64)}${String(index).padStart(2, '0')}`,
    outcomeSlotCount: 2n,
  })
  return {
    cash,
    shares,
    prepare: (market: TestMarket): void => emit(at.ctf, 'prepared', fact(market)),
    /** Resolves a market once. Returns its payouts. */
    resolve: (market: TestMarket, numerators: readonly [bigint, bigint]): readonly [bigint, bigint] => {
      const before = resolved.get(market.condition)
      if (before !== undefined) return before
      resolved.set(market.condition, numerators)
      emit(at.ctf, 'resolved', { ...fact(market), payoutNumerators: numerators })
      return numerators
    },
    has,
    emit,
    pay,
    send,
    sendBatch,
    split,
    merge,
    adapterSplit,
    adapterMerge,
    nextOrder: () => `0x${(++n_orders).toString(16).padStart(64, '0')}`,
    /** Ends the transaction. */
    end: () => {
      if (open.length > 0) transactions.push(open)
      open = []
    },
    transactions,
  }
}

export type Settlement = ReturnType<typeof openSettlement>
