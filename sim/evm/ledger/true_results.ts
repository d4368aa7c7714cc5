import type { TrueTrade, TrueTransfer } from '#sim/evm/types.ts'

import type { EvmLedger } from './ledger.ts'
import { rounded, truePrices, type TruePrices } from './true_prices.ts'

/** A wallet's truth over a time. Dollars are whole millionths. */
export type TrueResult = {
  realized_usd: bigint
  volume_usd: bigint
  unmatched_usd: bigint
  n_trades: number
  /** Tokens with a sale of a known result, and those whose results add up to more than 0. Dollars do not count. */
  n_closed: number
  n_won: number
}

/** The profit or loss of one sale. */
export type TrueSale = { wallet: string; token: string; tx: string; ts_s: number; pnl_usd: bigint; held_s: number }

export type TrueBooks = {
  trades: (TrueTrade & { usd: bigint | null; gas_usd: bigint })[]
  sales: TrueSale[]
  unmatched: { wallet: string; ts_s: number; usd: bigint }[]
}

/** A lot of a wallet and token. A null cost is unknown. */
type Lot = { since_s: number; amount: bigint; cost: bigint | null }

/**
 * The books of a ledger: its trades with their values, and first-in, first-out results, by the definitions of scoring.
 */
export function trueBooks({ trades, transfers, poolSwaps }: EvmLedger, dollar: string): TrueBooks {
  const priceOf = truePrices(poolSwaps, dollar)
  const lots = new Map<string, Lot[]>()
  const books: TrueBooks = { trades: [], sales: [], unmatched: [] }
  const lotsOf = (wallet: string, token: string): Lot[] => {
    const key = `${wallet} ${token}`
    const walletLots = lots.get(key) ?? []
    lots.set(key, walletLots)
    return walletLots
  }
  for (const event of inOrder(trades, transfers)) {
    if ('direction' in event) {
      const { wallet, token, amount, ts_s } = event
      const walletLots = lotsOf(wallet, token)
      if (event.direction === 'in') walletLots.push({ since_s: ts_s, amount, cost: priceOf(token, amount, ts_s) })
      else takeLots(walletLots, amount)
    } else bookTrade(books, valued(event, priceOf, dollar), { lotsOf, priceOf, dollar })
  }
  return books
}

type Event = TrueTrade | TrueTransfer
const isIn = (event: Event): boolean => 'direction' in event && event.direction === 'in'

/** In the order of the chain. Incoming transfers of a transaction come before its trades. */
function inOrder(trades: readonly TrueTrade[], transfers: readonly TrueTransfer[]): Event[] {
  const stepOf = (event: Event): number => (isIn(event) ? 0 : 'direction' in event ? 2 : 1)
  return [...trades, ...transfers].toSorted(
    (a, b) => a.block - b.block || a.tx_index - b.tx_index || stepOf(a) - stepOf(b),
  )
}

type Valued = TrueBooks['trades'][number]

/** The value of a trade is that of its most trusted leg: the dollar, then the native coin, then the token bought. */
function valued(trade: TrueTrade, priceOf: TruePrices, dollar: string): Valued {
  const { token_sold, amount_sold, token_bought, amount_bought, ts_s, gas_fee } = trade
  const trust = (token: string): number => (token === dollar ? 2 : token === 'native' ? 1 : 0)
  const legs = [
    { token: token_bought, amount: amount_bought },
    { token: token_sold, amount: amount_sold },
  ].toSorted((a, b) => trust(b.token) - trust(a.token))
  const usd = legs.map(({ token, amount }) => priceOf(token, amount, ts_s)).find((value) => value !== null) ?? null
  return { ...trade, usd, gas_usd: priceOf('native', gas_fee, ts_s) ?? 0n }
}

type Means = { lotsOf: (wallet: string, token: string) => Lot[]; priceOf: TruePrices; dollar: string }

function bookTrade(books: TrueBooks, trade: Valued, { lotsOf, dollar }: Means): void {
  const { wallet, tx, ts_s, token_sold, token_bought, amount_sold, amount_bought, usd, gas_usd } = trade
  books.trades.push(trade)
  if (token_sold === token_bought) {
    // The surplus of a round trip is realized at once, and stays as a lot of its value.
    const gain = amount_bought - amount_sold
    const value = usd === null ? null : rounded(usd * gain, amount_sold)
    lotsOf(wallet, token_bought).push({ since_s: ts_s, amount: gain, cost: value })
    if (value !== null) books.sales.push({ wallet, token: token_bought, tx, ts_s, pnl_usd: value - gas_usd, held_s: 0 })
    return
  }
  const moneyness = (token: string): number => (token === dollar ? 2 : token === 'native' ? 1 : 0)
  const isPurchase = moneyness(token_sold) > moneyness(token_bought)
  const cost = usd === null ? null : usd + (isPurchase ? gas_usd : 0n)
  lotsOf(wallet, token_bought).push({ since_s: ts_s, amount: amount_bought, cost })
  bookSale(books, trade, { lots: lotsOf(wallet, token_sold), gas: isPurchase ? 0n : gas_usd })
}

/** Takes the oldest lots. An amount that no lot covers is unmatched and gives no profit. */
function bookSale({ sales, unmatched }: TrueBooks, trade: Valued, { lots, gas }: { lots: Lot[]; gas: bigint }): void {
  const { wallet, token_sold: token, amount_sold, tx, ts_s, usd } = trade
  let left = { amount: amount_sold, usd, gas }
  for (const { amount, cost, since_s } of takeLots(lots, amount_sold)) {
    const part = left.usd === null ? null : rounded(left.usd * amount, left.amount)
    const fee = rounded(left.gas * amount, left.amount)
    if (part !== null && cost !== null)
      sales.push({ wallet, token, tx, ts_s, pnl_usd: part - fee - cost, held_s: ts_s - since_s })
    left = {
      amount: left.amount - amount,
      usd: left.usd === null || part === null ? null : left.usd - part,
      gas: left.gas - fee,
    }
  }
  if (left.amount > 0n && left.usd !== null) unmatched.push({ wallet, ts_s, usd: left.usd - left.gas })
}

/** Removes an amount from the oldest lots, with its part of their costs. */
function takeLots(lots: Lot[], amount: bigint): Lot[] {
  const taken: Lot[] = []
  let missing = amount
  for (let [lot] = lots; lot !== undefined && missing > 0n; [lot] = lots) {
    const part = lot.amount < missing ? lot.amount : missing
    const cost = lot.cost === null ? null : rounded(lot.cost * part, lot.amount)
    taken.push({ since_s: lot.since_s, amount: part, cost })
    missing -= part
    lot.amount -= part
    if (lot.cost !== null && cost !== null) lot.cost -= cost
    if (lot.amount === 0n) lots.shift()
  }
  return taken
}

/** The results of each wallet with a trade, of what happened after `from_s` until `to_s`. */
export function trueResults(
  { trades, sales, unmatched }: TrueBooks,
  dollar: string,
  { from_s, to_s }: { from_s: number; to_s: number },
): Map<string, TrueResult> {
  const isInside = ({ ts_s }: { ts_s: number }): boolean => ts_s > from_s && ts_s <= to_s
  const results = new Map<string, TrueResult>()
  for (const { wallet } of trades)
    results.set(wallet, { realized_usd: 0n, volume_usd: 0n, unmatched_usd: 0n, n_trades: 0, n_closed: 0, n_won: 0 })
  const add = (wallet: string, change: (result: TrueResult) => void): void => {
    const result = results.get(wallet)
    if (result !== undefined) change(result)
  }
  for (const { wallet, usd } of trades.filter(isInside))
    add(wallet, (result) => {
      result.n_trades += 1
      result.volume_usd += usd ?? 0n
    })
  const byToken = new Map<string, { wallet: string; token: string; pnl_usd: bigint }>()
  for (const { wallet, token, pnl_usd } of sales.filter(isInside)) {
    const key = `${wallet} ${token}`
    byToken.set(key, { wallet, token, pnl_usd: (byToken.get(key)?.pnl_usd ?? 0n) + pnl_usd })
  }
  for (const { wallet, token, pnl_usd } of byToken.values())
    add(wallet, (result) => {
      result.realized_usd += pnl_usd
      if (token === dollar) return
      result.n_closed += 1
      result.n_won += pnl_usd > 0n ? 1 : 0
    })
  for (const { wallet, usd } of unmatched.filter(isInside)) add(wallet, (result) => void (result.unmatched_usd += usd))
  return results
}
