import type { ChainEvent, Funded, Paired, Placed, PoolTrade } from './chain_events.ts'
import { contracts } from './contracts.ts'
import type { ChainMove } from './lifecycle.ts'
import { priceOf, type ChainFill } from './match_fills.ts'
import type { ShareMoves } from './share_moves.ts'

/** What pools did in a transaction: fills of traders, and the shares and dollars of providers. */
export type PoolRows = { pools: ReadonlySet<string>; fills: ChainFill[]; moves: ChainMove[] }

/**
 * Reads the trades and funding of pools. Any contract can emit their events. A pool is believed if it split or merged as
 * much collateral as it says at the conditional tokens, and moved as many shares.
 */
export function readPools(events: readonly Placed[], moves: ShareMoves): PoolRows {
  const rows: PoolRows & { pools: Set<string> } = { pools: new Set(), fills: [], moves: [] }
  const creators = new Map(
    events.flatMap((event) => (event.kind === 'pool created' ? [[event.pool, event.creator]] : [])),
  )
  for (const event of events) {
    if (event.kind === 'pool trade') {
      const fill = tradeOf(event, events, moves)
      if (fill === undefined) continue
      rows.fills.push(fill)
      rows.pools.add(event.pool)
    }
    if (event.kind === 'funded') {
      const funding = fundingOf(event, { events, moves, creator: creators.get(event.pool) })
      if (funding === undefined) continue
      rows.moves.push(...funding)
      rows.pools.add(event.pool)
    }
  }
  return rows
}

function tradeOf(event: Placed<PoolTrade>, events: readonly Placed[], { all }: ShareMoves): ChainFill | undefined {
  const { pool, trader, isBuy, cash, fee, shares, log_index } = event
  const pair = findLastPair(events, event, isBuy ? 'split' : 'merge', isBuy ? cash - fee : cash + fee)
  const [from, to] = isBuy ? [pool, trader] : [trader, pool]
  const move = all.findLast(
    (each) => each.log_index < log_index && each.from === from && each.to === to && each.amounts.size === 1,
  )
  const [moved] = move?.amounts ?? []
  if (pair === undefined || moved?.[1] !== shares) return undefined
  // A purchase pays the fee inside of its cash; the cash of a sale is what is left.
  const gross = isBuy ? cash - fee : cash + fee
  const price = priceOf(gross, shares)
  const parties = { trader, role: 'taker' as const, isBuy, token: moved[0], condition: pair.condition }
  return { ...parties, size: shares, cash: gross, fee, price, log_index }
}

/** The split or merge of a pool before an event of its, of an amount. */
const findLastPair = (
  events: readonly Placed[],
  { pool, log_index }: { pool: string; log_index: number },
  kind: Paired['kind'],
  amount: bigint,
): Placed<Paired> | undefined =>
  events.findLast(
    (each): each is Placed<Paired> =>
      isPair(each) &&
      each.kind === kind &&
      each.log_index < log_index &&
      each.stakeholder === pool &&
      each.amount === amount,
  )

const isPair = (event: ChainEvent): event is Paired => event.kind === 'split' || event.kind === 'merge'

/**
 * The funding of a pool. A provider pays for pairs, leaves shares of them in the pool, and gets the rest back; later it
 * takes shares out. What it leaves and takes are transfers, since the pool trades with them in between.
 */
function fundingOf(
  event: Placed<Funded>,
  { events, moves, creator }: { events: readonly Placed[]; moves: ShareMoves; creator: string | undefined },
): ChainMove[] | undefined {
  const { pool, funder, isAdded, amounts, feeShare, log_index } = event
  const most = amounts.reduce((max, amount) => (amount > max ? amount : max), 0n)
  const returned = amounts.map((amount) => (isAdded ? most - amount : amount))
  const move = moves.all.findLast((each) => each.log_index < log_index && each.from === pool && each.to === funder)
  const tokens = [...(move?.amounts ?? [])]
  if (tokens.length !== amounts.length || tokens.some(([, amount], n) => amount !== returned[n])) return undefined
  const trader = funder === contracts.ammFactory ? (creator ?? funder) : funder
  const shares = tokens.flatMap(([token], n): ChainMove[] => {
    const size = amounts[n] ?? 0n
    const kind = isAdded ? 'transfer_out' : 'transfer_in'
    return size === 0n ? [] : [{ kind, trader, condition: '', token, size, cash: null, counterparty: pool, log_index }]
  })
  const common = { trader, token: '', log_index }
  if (isAdded) {
    const pair = findLastPair(events, event, 'split', most)
    if (pair === undefined) return undefined
    return [{ ...common, kind: 'split', condition: pair.condition, size: most, cash: most }, ...shares]
  }
  if (feeShare > 0n) shares.push({ ...common, kind: 'reward', condition: '', size: null, cash: feeShare })
  return shares
}
