import type { World } from './types.ts'
import { txHash } from './world.ts'

/** A change of one trader's holdings. Money and shares in millionths. */
export type Entry = { ts_s: number; tx: string } & (
  | { kind: 'buy' | 'sale'; market: number; outcome: 0 | 1; size: bigint; cash: bigint; fee: bigint }
  | { kind: 'split' | 'merge'; market: number; size: bigint }
  | { kind: 'conversion'; event: number; indexSet: number; size: bigint; cash: bigint }
  | { kind: 'resolution'; market: number; payouts: readonly [number, number] }
  | { kind: 'redemption'; market: number; cash: bigint }
)

/**
 * Within a second: buys and splits, conversions and merges, sales, resolutions, redemptions; then by transaction. The
 * venue shows no order of the fills of a transaction. The lesser come first: cost per share is rounded to a millionth
 * after each sale, so that the order of two sales of one token may move a millionth.
 */
const rank: Record<Entry['kind'], number> = {
  buy: 0,
  split: 0,
  conversion: 1,
  merge: 1,
  sale: 2,
  resolution: 3,
  redemption: 4,
}

export function isBefore(a: Entry, b: Entry): number {
  return a.ts_s - b.ts_s || rank[a.kind] - rank[b.kind] || (a.tx < b.tx ? -1 : a.tx > b.tx ? 1 : 0) || isLesser(a, b)
}

/** The order of two fills of a transaction: by outcome, size and cash. */
function isLesser(a: Entry, b: Entry): number {
  if (!('outcome' in a && 'outcome' in b)) return 0
  return a.outcome - b.outcome || Number(a.size - b.size) || Number(a.cash - b.cash)
}

/** The entries of every trader by `at_s`, in no particular order. */
export function ledgersOf(world: World, at_s: number): Map<number, Entry[]> {
  const ledgers = new Map<number, Entry[]>()
  addFills(world, at_s, add)
  addActivity(world, at_s, add)
  // Every trader of a market has its resolution.
  for (const entries of ledgers.values()) {
    for (const market of new Set(entries.flatMap((entry) => marketsOf(world, entry)))) {
      const described = world.markets[market]
      if (described === undefined || described.payouts === null || described.resolvedAt_s > at_s) continue
      entries.push({ kind: 'resolution', ts_s: described.resolvedAt_s, tx: '', market, payouts: described.payouts })
    }
  }
  return ledgers

  function add(trader: number, entry: Entry): void {
    const entries = ledgers.get(trader)
    if (entries === undefined) ledgers.set(trader, [entry])
    else entries.push(entry)
  }
}

function addFills({ seed, matches, fills }: World, at_s: number, add: (trader: number, entry: Entry) => void): void {
  for (let match = 0; match < matches.length; match++) {
    const ts_s = matches.ts_s[match] ?? Infinity
    const market = matches.market[match] ?? -1
    if (ts_s > at_s || market < 0) continue
    const tx = txHash({ seed }, matches.tx[match] ?? 0)
    for (let fill = matches.firstFill[match] ?? 0; fill < (matches.firstFill[match + 1] ?? 0); fill++) {
      const trader = fills.trader[fill] ?? -1
      if (trader < 0) continue
      const amounts = { size: whole(fills.size[fill]), cash: whole(fills.cash[fill]), fee: whole(fills.fee[fill]) }
      const outcome = fills.outcome[fill] === 0 ? 0 : 1
      add(trader, { kind: fills.side[fill] === 0 ? 'buy' : 'sale', ts_s, tx, market, outcome, ...amounts })
    }
  }
}

/** Income, deposits and withdrawals are not trades. */
function addActivity(world: World, at_s: number, add: (trader: number, entry: Entry) => void): void {
  for (const row of world.activity) {
    if (row.ts_s > at_s) continue
    const base = { ts_s: row.ts_s, tx: txHash(world, row.tx) }
    const [size, cash] = [whole(row.size), whole(row.cash)]
    if (row.kind === 'SPLIT') add(row.trader, { ...base, kind: 'split', market: row.market, size })
    if (row.kind === 'MERGE') add(row.trader, { ...base, kind: 'merge', market: row.market, size })
    if (row.kind === 'REDEEM') add(row.trader, { ...base, kind: 'redemption', market: row.market, cash })
    if (row.kind !== 'CONVERSION') continue
    add(row.trader, { ...base, kind: 'conversion', event: row.event, indexSet: row.indexSet, size, cash })
  }
}

const marketsOf = (world: World, entry: Entry): number[] =>
  entry.kind === 'conversion' ? (world.events[entry.event]?.markets ?? []) : [entry.market]

const whole = (amount: number | undefined): bigint => BigInt(amount ?? 0)
