import type { ChainEvent, Converted, Paired, Placed, Redeemed } from './chain_events.ts'
import { contracts, isCollateralAdapter, isSystemHolder, zeroAddress } from './contracts.ts'
import { conditionIdOf, questionIdOf, tokenIds } from './position_ids.ts'
import { match, type ShareMoves } from './share_moves.ts'

/** A movement of a wallet without a match. `cash` is what it paid or got. An empty text is none. */
export type ChainMove = {
  kind: 'split' | 'merge' | 'redeem' | 'convert' | 'transfer_in' | 'transfer_out' | 'migrate' | 'reward'
  trader: string
  condition: string
  token: string
  size: bigint | null
  cash: bigint | null
  negRiskMarket?: string
  indexSet?: bigint
  /** The questions of the market when it was converted. */
  n_questions?: number
  counterparty?: string
  log_index: number
}

/** An event whose wallet no log of its transaction names. */
export class NoWallet extends Error {
  constructor({ kind, log_index }: Placed) {
    super(`${kind}: no transfer of its transaction names the wallet; expected one before or after log ${log_index}`)
    this.name = 'NoWallet'
  }
}

/** The lifecycle of a transaction. `pools` are its pools, which split and merge for the fills of their traders. */
export type Transaction = { events: readonly Placed[]; moves: ShareMoves; pools: ReadonlySet<string> }

/**
 * The splits and merges of wallets. Exchanges, pools and adapters split and merge too: those of a match or of a trade
 * are part of its fills. A collateral adapter acts for the wallet that its shares come from or go to.
 */
export function pairedMoves(event: Placed<Paired>, { moves, pools }: Transaction): ChainMove[] {
  const { kind, stakeholder, condition, amount, log_index } = event
  if (amount === 0n || pools.has(stakeholder)) return []
  const row = (trader: string): ChainMove => ({
    kind,
    trader,
    condition,
    token: '',
    size: amount,
    cash: amount,
    log_index,
  })
  if (!isSystemHolder(stakeholder)) return [row(stakeholder)]
  if (!isCollateralAdapter(stakeholder)) return []
  const amounts = pairOf(event, moves)
  const wallet =
    kind === 'split' ? moves.receiver(stakeholder, amounts, log_index) : moves.giver(stakeholder, amounts, log_index)
  if (wallet === undefined) throw new NoWallet(event)
  return wallet === match ? [] : [row(wallet)]
}

/** The pair of tokens that a split minted or a merge burnt: the log before it says which. */
function pairOf({ kind, isAdapter, stakeholder, amount, log_index }: Placed<Paired>, { all }: ShareMoves) {
  const holder = isAdapter ? contracts.negRiskAdapter : stakeholder
  const [from, to] = kind === 'split' ? [zeroAddress, holder] : [holder, zeroAddress]
  const minted = all.findLast(
    (move) => move.log_index < log_index && move.from === from && move.to === to && move.amounts.size === 2,
  )
  return new Map([...(minted?.amounts.keys() ?? [])].map((token) => [token, amount]))
}

/**
 * A redemption of a wallet, with the shares that were burnt for it: those of a token that the wallet does not hold are
 * none. The dollars of one outcome are those of the redemption. Of two outcomes they follow from the payouts that give
 * the sum; equal shares of both are one row of as many pairs without a token, since either may have won.
 */
export function redeemedMoves(event: Placed<Redeemed>, after: number, { moves }: Transaction): ChainMove[] {
  const { isAdapter, redeemer, condition, payout, log_index } = event
  if (redeemer === contracts.negRiskAdapter) return []
  const holder = isAdapter ? contracts.negRiskAdapter : redeemer
  const burnt = moves.burnt(holder, { after, at: log_index })
  if (burnt.size === 0) return []
  const wallet = isSystemHolder(redeemer) ? moves.giver(redeemer, burnt, log_index) : redeemer
  if (wallet === undefined) throw new NoWallet(event)
  const row = (token: string, size: bigint | null, cash: bigint): ChainMove => ({
    kind: 'redeem',
    trader: wallet,
    condition,
    token,
    size,
    cash,
    log_index,
  })
  const [first, second] = [...burnt]
  if (first === undefined) return []
  if (second === undefined) return [row(first[0], first[1], payout)]
  const [a, b] = [first[1], second[1]]
  if (a === b) return [row('', a, payout)]
  const cash = cashOf(a, b, payout)
  return [row(first[0], a, cash), row(second[0], b, payout - cash)]
}

/** The part of `a` shares in the payout of `a` and `b` shares, whose payouts add up to a dollar. */
function cashOf(a: bigint, b: bigint, payout: bigint): bigint {
  if (payout === a) return a
  if (payout === b) return 0n
  if (payout === a / 2n + b / 2n) return a / 2n
  // The payout of `a` is (payout - b) / (a - b) of a dollar.
  return (a * (payout - b)) / (a - b)
}

/**
 * A conversion: `amount` NO shares of each question of the set for YES shares of the others, and a dollar for each but
 * one. The adapter splits once for each question that is not in the set, which tells how many questions there were.
 */
export function convertedMoves(event: Placed<Converted>, after: number, { events, moves }: Transaction): ChainMove[] {
  const { stakeholder, market, indexSet, amount, log_index } = event
  if (amount === 0n) return []
  const indexes = bitsOf(indexSet)
  const n_splits = events.filter(
    (each) => isAdapterSplit(each) && each.log_index > after && each.log_index < log_index,
  ).length
  const n_questions = indexes.length + n_splits
  const other = Array.from({ length: n_questions }, (_, n) => n).find((n) => !indexes.includes(n))
  const wallet = isSystemHolder(stakeholder)
    ? moves.giver(stakeholder, new Map(indexes.map((n) => [negRiskToken(market, n, 1), amount])), log_index)
    : stakeholder
  if (wallet === undefined) throw new NoWallet(event)
  const amountOut = other === undefined ? amount : (yesOut(market, other, event, moves) ?? amount)
  return [
    {
      kind: 'convert',
      trader: wallet,
      condition: '',
      token: '',
      size: amount,
      cash: BigInt(indexes.length - 1) * amountOut,
      negRiskMarket: market,
      indexSet,
      n_questions,
      log_index,
    },
  ]
}

const isAdapterSplit = (event: ChainEvent): boolean =>
  event.kind === 'split' && !event.isAdapter && event.stakeholder === contracts.negRiskAdapter

/** The YES shares of a question that the adapter gave: the amount less the fee of the market. */
function yesOut(market: string, index: number, { stakeholder, log_index }: Placed<Converted>, { all }: ShareMoves) {
  const token = negRiskToken(market, index, 0)
  return all
    .findLast(
      ({ from, to, ...move }) => from === contracts.negRiskAdapter && to === stakeholder && move.log_index < log_index,
    )
    ?.amounts.get(token)
}

function negRiskToken(market: string, index: number, outcome: 0 | 1): string {
  return tokenIds(conditionIdOf(contracts.negRiskAdapter, questionIdOf(market, index)), true)[outcome]
}

/** The places of the bits of a number, the lowest first. */
const bitsOf = (set: bigint): number[] =>
  Array.from({ length: set.toString(2).length }, (_, n) => n).filter((n) => ((set >> BigInt(n)) & 1n) === 1n)
