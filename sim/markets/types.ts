import type { Micros } from '#time.ts'

/** Instants named `_s` are whole seconds since 1970 UTC; shares and cash are whole millionths. */
export type World = {
  seed: number
  opensAt: Micros
  /** The instant at which a demo starts to follow. */
  now: Micros
  /** The end of the world: following it from `now` shows new trades up to here. */
  endsAt: Micros
  events: Event[]
  markets: Market[]
  traders: Trader[]
  matches: Matches
  fills: Fills
  prices: Prices
  activity: Activity[]
  combos: Combo[]
}

export const archetypes = [
  'market_maker',
  'arbitrageur',
  'sharp',
  'fade_target',
  'value_hunter',
  'momentum_chaser',
  'longshot_hunter',
  'favorite_backer',
  'whale',
  'generalist',
  'unproven',
] as const
export type Archetype = (typeof archetypes)[number]

export type Trader = {
  index: number
  wallet: string
  name: string
  pseudonym: string
  archetype: Archetype
  /**
   * The expected closing line value of the trader's own orders before a scheduled start, net of fees. It is in
   * percentage points at prices near 0.5. It shrinks with p(1 - p) towards 0 and 1.
   */
  edge: number
  /** Whether the trader does neg-risk conversions, which the venue's activity feed does not show completely. */
  isConverter: boolean
  /** The other wallet of the same owner, with which it trades at closes. */
  partner: number | null
}

export const marketKinds = ['yes_no', 'teams', 'over_under', 'up_down', 'neg_risk', 'legacy'] as const
export type MarketKind = (typeof marketKinds)[number]
/** `first` and `second`: that outcome pays 1. `fifty_fifty` and `void` pay 0.5 each. `none`: never reported. */
export type Result = 'first' | 'second' | 'fifty_fifty' | 'void' | 'none'

export type Event = {
  index: number
  id: string
  slug: string
  title: string
  category: string
  tags: string[]
  /** The neg-risk market id, or '' if its markets are not convertible. */
  negRiskId: string
  markets: number[]
  createdAt_s: number
  /** A known start or release, and its field on the wire. */
  startsAt_s: number | null
  startsBy: 'gameStartTime' | 'eventStartTime' | null
}

export type Market = {
  index: number
  event: number
  kind: MarketKind
  /** `v2`: a market of Protocol V2, with an id of 62 digits and tokens that follow from it. */
  version: 'v1' | 'v2'
  id: string
  slug: string
  conditionId: string
  questionId: string
  question: string
  labels: readonly [string, string]
  tokenIds: readonly [string, string]
  groupItemTitle: string
  /** Position among the event's questions; -1 without neg-risk. */
  negRiskIndex: number
  /** Millionths. */
  tick: number
  /** Half the width of its book, in millionths; at 0 it is one tick wide. */
  bookHalf: number
  /** Taker fee = shares x feeRate x p x (1 - p). */
  feeRate: number
  createdAt_s: number
  /** The planned end, which may differ from the actual one. */
  endsAt_s: number
  pausedAt_s: number | null
  resumedAt_s: number | null
  closedAt_s: number
  /** From here on the event is decided, and the odds rightly move far. */
  decidedFrom_s: number
  proposedAt_s: number
  disputedAt_s: number | null
  resolvedAt_s: number
  result: Result
  /** Millionths for each outcome; null if never reported. */
  payouts: readonly [number, number] | null
  /** The fair price of outcome 0 at creation, and at the scheduled start once it has passed. */
  openingPrice: number
  closePrice: number | null
}

/** Columns, in order of time. A match is one taker's row and the makers' rows that filled it. */
export type Matches = {
  length: number
  ts_s: Float64Array
  /** -1 for a combo. */
  market: Int32Array
  /** Fair price of outcome 0 at that instant; NaN for a combo. */
  fair: Float64Array
  /** The price of outcome 0 that is expected at a close, with all that the taker knows; NaN for a combo. */
  expected: Float64Array
  /** Number of the transaction: several matches may share one. */
  tx: Int32Array
  /** The rows of match i: fills firstFill[i] until firstFill[i + 1], the taker's first. */
  firstFill: Int32Array
}

export type Fills = {
  length: number
  match: Int32Array
  /** Index of the trader; below 0 a system address (see `systemAddresses`). Rows of system addresses are no trades. */
  trader: Int32Array
  outcome: Uint8Array
  /** 0 buys, 1 sells. */
  side: Uint8Array
  isTaker: Uint8Array
  size: Float64Array
  /** Without the fee. */
  cash: Float64Array
  fee: Float64Array
}

/**
 * Columns: the fair price of outcome 0 at each whole hour until its resolution, and the belief, which is its price by
 * news alone. An easy world has none.
 */
export type Prices = { market: number[]; ts_s: number[]; fair: number[]; believed: number[] }

export const activityKinds = [
  'SPLIT',
  'MERGE',
  'CONVERSION',
  'REDEEM',
  'REWARD',
  'MAKER_REBATE',
  'DEPOSIT',
  'WITHDRAWAL',
] as const
export type ActivityKind = (typeof activityKinds)[number]

/** A movement of shares or cash without a match. */
export type Activity = {
  ts_s: number
  tx: number
  trader: number
  kind: ActivityKind
  /** -1 without a market. */
  market: number
  /** The sets split or merged, or the NO shares converted of each question; for other kinds the cash. */
  size: number
  cash: number
  /** CONVERSION: the event, and bit i if NO of its question i was given. The wire omits it. */
  event: number
  indexSet: number
}

/** A parlay. In the feeds it has an id of 62 digits that begins with 03, and no market. */
export type Combo = { match: number; legs: readonly [number, number]; conditionId: string; tokenId: string }

/** Contracts of the venue that sometimes appear as traders: trader -1 is the first of them. */
export const systemAddresses = [
  '0xe111180000d2663c0091e4f400237545b87b996b',
  '0xe2222d279d744050d28e00520010520000310f59',
] as const
