import type { Moved, Placed } from './chain_events.ts'
import { contracts, isExchange, isMigrator, isSystemHolder, zeroAddress } from './contracts.ts'

/** Shares of the conditional tokens that moved in one transaction, in the order of their logs. */
export type ShareMoves = {
  all: readonly Placed<Moved>[]
  /**
   * The shares of a holder that redemptions burnt between two logs, by token. A redemption burns each token by itself, a
   * merge a pair at once.
   */
  burnt: (holder: string, span: Span) => Map<string, bigint>
  /** Who got the shares that a system contract got; undefined if nobody did, `match` if an exchange did. */
  receiver: (holder: string, amounts: Amounts, at: number) => string | undefined
  /** Who gave the shares that a system contract gave away. */
  giver: (holder: string, amounts: Amounts, at: number) => string | undefined
}

type Amounts = ReadonlyMap<string, bigint>
type Span = { after: number; at: number }

/** The party of a match: shares that come from or go to an exchange are those of its fills. */
export const match = 'match'

export function openShareMoves(moves: readonly Placed<Moved>[]): ShareMoves {
  const all = moves.filter(({ contract }) => contract === contracts.ctf)
  const has = (move: Moved, amounts: Amounts): boolean =>
    amounts.size > 0 && [...amounts].every(([token, amount]) => move.amounts.get(token) === amount)
  const receiver: ShareMoves['receiver'] = (holder, amounts, at) => {
    const next = all.find((move) => move.log_index > at && move.from === holder && has(move, amounts))
    if (next === undefined) return undefined
    if (isExchange(next.to)) return match
    return isSystemHolder(next.to) ? receiver(next.to, amounts, next.log_index) : next.to
  }
  const giver: ShareMoves['giver'] = (holder, amounts, at) => {
    const last = all.findLast((move) => move.log_index < at && move.to === holder && has(move, amounts))
    if (last === undefined) return undefined
    if (isExchange(last.from)) return match
    return isSystemHolder(last.from) ? giver(last.from, amounts, last.log_index) : last.from
  }
  const burnt: ShareMoves['burnt'] = (holder, { after, at }) => {
    const sum = new Map<string, bigint>()
    for (const { from, to, amounts, log_index } of all) {
      if (from !== holder || to !== zeroAddress || amounts.size !== 1) continue
      if (log_index <= after || log_index >= at) continue
      for (const [token, amount] of amounts) if (amount > 0n) sum.set(token, (sum.get(token) ?? 0n) + amount)
    }
    return sum
  }
  return { all, burnt, receiver, giver }
}

/** Shares that moved from one holder to another, by no contract of the venue: neither traded, minted nor burnt. */
export const isPlain = ({ operator, from, to }: Moved, pools: ReadonlySet<string>): boolean =>
  ![operator, from, to].some((party) => isSystemHolder(party) || pools.has(party)) && from !== to

/** Shares that a holder gave to the contracts of Protocol V2. */
export const isMigrated = ({ contract, from, to }: Moved): boolean =>
  contract === contracts.ctf && isMigrator(to) && !isSystemHolder(from)
