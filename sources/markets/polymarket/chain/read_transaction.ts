import type { Moved, Placed } from './chain_events.ts'
import { contracts, zeroAddress } from './contracts.ts'
import { convertedMoves, NoWallet, pairedMoves, redeemedMoves, type ChainMove, type Transaction } from './lifecycle.ts'
import { fillsOfMatches, type ChainFill } from './match_fills.ts'
import { readPools } from './pool_fills.ts'
import { isMigrated, isPlain, openShareMoves } from './share_moves.ts'

/** What the wallets of a transaction did. `unread` are events whose wallet is not known. */
export type TransactionRows = {
  fills: ChainFill[]
  moves: ChainMove[]
  unread: { log_index: number; reason: string }[]
}

/** Reads all events of one transaction, in the order of their logs. */
export function readTransaction(events: readonly Placed[]): TransactionRows {
  const moved = events.filter((event): event is Placed<Moved> => event.kind === 'moved')
  const shareMoves = openShareMoves(moved)
  const pools = readPools(events, shareMoves)
  const transaction: Transaction = { events, moves: shareMoves, pools: pools.pools }
  const rows: TransactionRows = {
    fills: [...fillsOfMatches(events.filter(isOfMatch)), ...pools.fills],
    moves: [...pools.moves, ...transfersOf(moved, transaction.pools)],
    unread: [],
  }
  let [lastOfAdapter, lastRedemption] = [-1, -1]
  for (const event of events) {
    try {
      rows.moves.push(...movesOf(event, { lastOfAdapter, lastRedemption }, transaction))
    } catch (error) {
      if (!(error instanceof NoWallet)) throw error
      rows.unread.push({ log_index: event.log_index, reason: error.message })
    }
    if ('isAdapter' in event && event.isAdapter) lastOfAdapter = event.log_index
    if (event.kind === 'converted') lastOfAdapter = event.log_index
    if (event.kind === 'redeemed' && event.redeemer !== contracts.negRiskAdapter) lastRedemption = event.log_index
  }
  return rows
}

const isOfMatch = (event: Placed): event is Parameters<typeof fillsOfMatches>[0][number] =>
  event.kind === 'filled' || event.kind === 'matched' || event.kind === 'refunded'

/** The logs before which an event of the adapter, or the burning of another redemption, lies. */
type Last = { lastOfAdapter: number; lastRedemption: number }

function movesOf(event: Placed, { lastOfAdapter, lastRedemption }: Last, transaction: Transaction): ChainMove[] {
  switch (event.kind) {
    case 'split':
    case 'merge':
      return pairedMoves(event, transaction)
    case 'redeemed':
      return redeemedMoves(
        event,
        event.isAdapter ? Math.max(lastRedemption, lastOfAdapter) : lastRedemption,
        transaction,
      )
    case 'converted':
      return convertedMoves(event, lastOfAdapter, transaction)
    case 'paid':
      return [
        {
          kind: 'reward',
          trader: event.to,
          condition: '',
          token: '',
          size: null,
          cash: event.amount,
          log_index: event.log_index,
        },
      ]
    default:
      return []
  }
}

/** Both sides of each plain transfer, and the shares that a wallet gave for as many of Protocol V2. */
function transfersOf(moved: readonly Placed<Moved>[], pools: ReadonlySet<string>): ChainMove[] {
  return moved.flatMap((move) => {
    if (isMigrated(move)) return migrationOf(move, moved)
    if (!isPlain(move, pools)) return []
    const { from, to, log_index } = move
    return [...move.amounts].flatMap(([token, size]): ChainMove[] => {
      if (size === 0n) return []
      const common = { condition: '', token, size, cash: null, log_index }
      return [
        { ...common, kind: 'transfer_out', trader: from, counterparty: to },
        { ...common, kind: 'transfer_in', trader: to, counterparty: from },
      ]
    })
  })
}

/** A migration is one for one: the shares that a wallet gave, and as many of a token of Protocol V2 that it got. */
function migrationOf(source: Placed<Moved>, moved: readonly Placed<Moved>[]): ChainMove[] {
  const { from: trader, log_index } = source
  const isMint = (move: Moved): boolean =>
    move.contract === contracts.positionManager && move.from === zeroAddress && move.to === trader
  const minted = moved.filter(isMint).flatMap((move) => [...move.amounts])
  return [...source.amounts].flatMap(([token, size]): ChainMove[] => {
    const received = minted.find(([, amount]) => amount === size)
    if (size === 0n || received === undefined) return []
    minted.splice(minted.indexOf(received), 1)
    const common = { kind: 'migrate' as const, trader, condition: '', cash: null, log_index }
    return [
      { ...common, token, size: -size },
      { ...common, token: received[0], size },
    ]
  })
}
