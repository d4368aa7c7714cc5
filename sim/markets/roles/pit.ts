import type { TradingFloor } from '#sim/markets/trading/trading_floor.ts'

import type { Climate } from './climate.ts'
import type { Strategy } from './habits.ts'
import type { Player } from './people.ts'
import type { EventPrices } from './prices.ts'

/** The trading of one event of a world of roles. Members are numbered as on the floor. */
export type Pit = {
  floor: TradingFloor
  prices: EventPrices
  climate: Climate
  /** What each member does here. */
  strategies: readonly Strategy[]
  /** The members that rest orders, by how they do, and the members that repeat the orders of each. */
  resting: Readonly<Record<'market_maker' | 'poster' | 'patient' | 'other', readonly number[]>>
  followers: ReadonlyMap<number, readonly number[]>
  truth: TruthTape
}

/** For each match on the tape: the expected price of outcome 0 at the announced start and a day later. */
export type TruthTape = { start: number[]; markout: number[] }

export function playerOf({ floor }: Pit, member: number): Player {
  const player = floor.people[floor.members[member] ?? -1]
  if (player === undefined || !('strategy' in player))
    throw new RangeError(`pit: no member ${member}; expected a member of the event`)
  return player as Player
}
