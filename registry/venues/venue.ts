/** A place where outcomes are traded: what every room must know of it. */
export type Venue = {
  /** The name in ids of markets (`<id>:<native id>`), in parts of the lake and in answers: one lower-case word. Unique. */
  id: string
  /** The name for people. */
  label: string
  /** What people write for it, in lower case. The id comes first. */
  words: readonly [string, ...string[]]
  market: MarketIds
  /** The slug of the chain that holds its trades; null for a venue without one. */
  chain: string | null
  /** Whether trades name no trader. Such a venue has prices and volumes, and no figure of a trader. */
  isAnonymous: boolean
  /** The source that reads the history of an account; null without one. */
  accountSource: string | null
  /** The source of pushed order books: its quotes have a bid and an ask, and no other figure. Null without one. */
  bookSource: string | null
  /**
   * Whether histories of markets list takers only. Fills of an account after its last reading then lack those as maker.
   */
  listsTakersOnly: boolean
  /** Whether a split or merge has another size than the number of sets. A set is a dollar, so its cash is the number. */
  countsSetsByCash: boolean
  /** Whether a market without a trade has no figure of its volume of 24 hours, which is then 0. */
  omitsZeroVolume: boolean
  /** The first block of its chain with a log of the venue; null for a venue that no source reads from a chain. */
  firstBlock: number | null
  /** Contracts of the venue that appear in its feeds beside traders: lower-case addresses and what they are. */
  systemAddresses: Readonly<Record<string, string>>
  /** The contracts through which an owner trades, each derived from the address of the owner. */
  wallets: readonly DerivedWallet[]
}

/** The native ids of a venue's markets. */
type MarketIds = {
  /** A pattern that is not anchored. It accepts both cases. */
  form: string
  /** The form in words, for errors and documentation. */
  about: string
  /** The case in which ids are stored and shown. */
  case: 'lower' | 'upper'
  example: string
  /** A native id that names its venue by its form, so that people write it without the venue. */
  bare?: RegExp
  /** Combos of several markets, which are no markets: the first characters of their native ids, and their length. */
  combo?: { prefix: string; length: number }
}

/** A contract wallet at a CREATE2 address of its factory. The salt is the hash of the owner, packed or as a word. */
export type DerivedWallet = {
  name: string
  factory: `0x${string}`
  bytecodeHash: `0x${string}`
  salt: 'packed' | 'word'
}
