import { reachedFrom, type AssetAmount, type Exchanger } from './exchangers.ts'
import { sumOf, type ChainFacts, type Leg, type TransactionFacts, type TransferFact } from './facts.ts'
import { zeroAddress } from './movements.ts'

/** What the movements of a wallet are: an exchange, possibly one, or none. */
export type Exchange = 'certain' | 'possible' | 'none'

/** The legs of a wallet, with the rows of its transaction or operation. */
export type Exchanged = {
  tx: TransactionFacts
  chain: ChainFacts
  wallet: string
  legs: readonly Leg[]
  rows: readonly TransferFact[]
  exchangers: readonly Exchanger[]
}

/**
 * Whether legs with a swap or fill event beside them are an exchange. Shares that come or go beside the event may be a
 * deposit or a withdrawal with a swap. So may a small rest of what was swapped, the most of which went elsewhere.
 */
export const exchangeByEvent = (exchanged: Exchanged): Exchange =>
  (isOfShares(exchanged) && !isReached(exchanged)) || isOfRest(exchanged) ? 'possible' : 'certain'

/**
 * Whether legs without an event are an exchange, as those of a protocol that no decoder knows. Each asset sold turns
 * into each asset bought at addresses that got one and gave another one. Shares are no exchange: what is issued for the
 * wallet or redeemed by it is a deposit, a loan, a bridged token or a claim. A called contract that alone gave the asset
 * bought may be a lender or a distributor; where both legs have prices, their values decide.
 */
export function exchangeByMovement(exchanged: Exchanged): Exchange {
  const { tx, chain, legs, exchangers } = exchanged
  if (tx.recipient === null || isTokenCalled(exchanged) || isOfShares(exchanged)) return 'none'
  const balances = legs.map((leg) => isBalanced(leg, chain))
  const isEqual = balances.every((isEqualLeg) => isEqualLeg === true)
  if (!isReached(exchanged)) return isEqual && isOfUnseenCoin(exchanged) ? 'certain' : 'none'
  const others = exchangers.filter(({ address }) => address !== tx.recipient)
  const isRouted = isReached({ ...exchanged, exchangers: others })
  if (!isRouted && balances.includes(false)) return 'none'
  const isCertain = isEqual || (isRouted && !balances.includes(false))
  return isCertain && !isOfRest(exchanged) ? 'certain' : 'possible'
}

/** Whether exchangers turn what each leg sold into what it bought. */
const isReached = ({ legs, exchangers }: Exchanged): boolean =>
  legs.every(({ token_sold, token_bought }) => reachedFrom(exchangers, token_sold).has(token_bought))

/** Whether a wallet got less than half of what the exchangers gave of an asset. */
const isOfRest = ({ legs, exchangers }: Exchanged): boolean =>
  legs.some(({ token_bought }) => {
    const bought = sumOf(legs, (leg) => (leg.token_bought === token_bought ? leg.amount_bought : 0n))
    const netOf = (amounts: readonly AssetAmount[]): bigint =>
      sumOf(amounts, ({ token, amount }) => (token === token_bought ? amount : 0n))
    return 2n * bought < sumOf(exchangers, ({ received, paid }) => netOf(paid) - netOf(received))
  })

/** A share comes from the zero address or from its own contract, or goes there. Fees and taxes do so too. */
const isIssued = ({ sender, token }: TransferFact): boolean => sender === zeroAddress || sender === token
const isRedeemed = ({ recipient, token }: TransferFact): boolean => recipient === zeroAddress || recipient === token
export const isOfShare = (row: TransferFact): boolean => isIssued(row) || isRedeemed(row)

/**
 * Whether legs are mostly of shares that are issued or redeemed, or other shares came or went beside them. Fees and taxes
 * are a small part of a leg.
 */
function isOfShares({ legs, rows, wallet }: Exchanged): boolean {
  const sold = new Map(legs.map(({ token_sold, amount_sold }) => [token_sold, amount_sold]))
  const bought = new Map(legs.map(({ token_bought, amount_bought }) => [token_bought, amount_bought]))
  const [issued, redeemed] = [rows.filter(isIssued), rows.filter(isRedeemed)]
  const isMost = (amounts: ReadonlyMap<string, bigint>, shares: readonly TransferFact[]): boolean =>
    [...amounts].some(
      ([asset, amount]) => 2n * sumOf(shares, (row) => (row.token === asset ? row.amount : 0n)) > amount,
    )
  const isBeside = ({ token }: TransferFact): boolean => !sold.has(token) && !bought.has(token)
  return (
    isMost(bought, issued) ||
    isMost(sold, redeemed) ||
    issued.some((row) => row.recipient === wallet && isBeside(row)) ||
    redeemed.some((row) => row.sender === wallet && isBeside(row))
  )
}

/** Whether the transaction calls one of the tokens itself, as deposits and redemptions do. */
const isTokenCalled = ({ tx: { recipient }, chain: { wrapped }, legs }: Exchanged): boolean =>
  recipient === wrapped || legs.some((leg) => recipient === leg.token_sold || recipient === leg.token_bought)

/** Whether the native coin was sold, and no row shows where the called contract sent it. */
const isOfUnseenCoin = ({ tx, legs, rows }: Exchanged): boolean =>
  legs.every(({ token_sold }) => token_sold === 'native') &&
  rows.every(({ token, sender }) => token !== 'native' || sender !== tx.recipient)

/** Whether both sides of a leg have one value, up to 15 %. Undefined if one has no price. */
function isBalanced(leg: Leg, { usdOf }: ChainFacts): boolean | undefined {
  const [sold, bought] = [usdOf(leg.token_sold, leg.amount_sold), usdOf(leg.token_bought, leg.amount_bought)]
  if (sold === null || bought === null) return undefined
  const [less, more] = sold < bought ? [sold, bought] : [bought, sold]
  return less > 0n && less * 100n >= more * 85n
}
