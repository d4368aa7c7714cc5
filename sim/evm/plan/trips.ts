import type { Asset, PlannedBlock, Route, Step } from '#sim/evm/types.ts'

/** Steps with their instants, in any order. */
export type Diary = {
  add: (at_s: number, ...steps: readonly Step[]) => void
  blocks: () => PlannedBlock[]
}

/** The fewest seconds between two blocks. */
export const slot_s = 12

/** Collects steps. Those of one slot share a block, in the order in which they were added. */
export function openDiary(): Diary {
  const bySlot = new Map<number, Step[]>()
  return {
    add: (at_s, ...steps) => {
      const slot = Math.floor(at_s / slot_s) * slot_s
      bySlot.set(slot, [...(bySlot.get(slot) ?? []), ...steps])
    },
    blocks: () => [...bySlot.entries()].toSorted(([a], [b]) => a - b).map(([slot, steps]) => ({ at_s: slot, steps })),
  }
}

/** A purchase and a later sale of all of it, or of a share. */
export type Trip = {
  actor: number
  token: number
  usd: number
  bought_s: number
  sold_s: number
  share?: number
  /** The asset that pays for the purchase, and that the sale gains. */
  quote?: Exclude<Asset, number>
  routes: readonly [Route, Route]
}

export function addTrip(diary: Diary, trip: Trip): void {
  const { actor, token, usd, bought_s, sold_s, share = 1, quote = 'dollar', routes } = trip
  diary.add(bought_s, { kind: 'swap', actor, from: quote, to: token, route: routes[0], usd })
  diary.add(sold_s, { kind: 'swap', actor, from: token, to: quote, route: routes[1], share })
}
