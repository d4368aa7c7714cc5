import { tripsOpenedAt, type Trip } from '#sim/chains/round_trips.ts'
import type { EvmLedger } from '#sim/evm/ledger/ledger.ts'
import { fortuneOf, usual } from '#sim/fortune.ts'
import { createRandom, mix } from '#sim/random.ts'
import type { Listing } from '#sim/token_listings.ts'

import { createBank, type Bank, type BankTransaction } from './bank.ts'
import { createBooks, type Books } from './books.ts'
import { arbitrage, buy, sell, type Trading } from './made_trades.ts'
import { fillPools, tokensOf, type SolanaToken } from './market.ts'
import { mainnet, nameOf, signatureOf } from './names.ts'

/** A simulated Solana: slots of `slot_s` seconds from an instant on, of which `n_slots` are past at the start. */
export type SolanaPlan = {
  seed: number
  n_slots: number
  /** Tokens that are traded, wrapped SOL among them. */
  n_tokens?: number
  /** The tokens of a lifelike world, in their place: wrapped SOL and others. Its wallets differ in wealth. */
  listings?: readonly Listing[]
  start_s: number
  slot_s: number
  /** Pools hold more lamports than a double holds exactly, which few accounts of the real chain do. */
  isLarge: boolean
}

/** A transaction of a block; null stands for a vote. */
export type PlacedTransaction = { signature: string; made: BankTransaction | null }

/** A block; a skipped slot has none. */
export type SimulatedBlock = {
  slot: number
  parent: number
  hash: string
  parent_hash: string
  time_s: number
  transactions: readonly PlacedTransaction[]
}

export type SolanaWorld = {
  plan: SolanaPlan
  blocks: ReadonlyMap<number, SimulatedBlock>
  tokens: readonly SolanaToken[]
  wallets: readonly string[]
  bank: Bank
  /** The true trades and transfers. The dollar is USDC's mint, SOL is `native`. */
  ledger: EvmLedger
  dollar: string
  /** Makes the slots before `end`. The balances are those after the last slot. */
  advance: (end: number) => void
}

const n_wallets = 24
const isSkipped = (seed: number, slot: number): boolean => slot > 2 && mix(seed, slot) % 12 === 0

/** The hash of a block. On another fork than the final one, blocks have other hashes. */
export const hashOf = (seed: number, slot: number, fork = 0): string => nameOf(seed, 'block', slot, fork)

/** Makes a world. Its blocks, balances and ledger follow from the plan alone. */
export function openSolanaWorld(plan: SolanaPlan): SolanaWorld {
  const { seed, n_slots } = plan
  const tokens = tokensOf(seed, plan.listings?.length ?? plan.n_tokens, plan.listings)
  const wallets = Array.from({ length: n_wallets }, (_, n) => nameOf(seed, 'wallet', n))
  const bank = createBank((owner, mint) => nameOf(seed, 'account', owner, mint))
  const books = createBooks(wallets)
  const blocks = new Map<number, SimulatedBlock>()
  const town = { plan, tokens, wallets, bank, treasury: nameOf(seed, 'treasury'), relayer: nameOf(seed, 'relayer') }
  const makeSlot = slotMaker(town, blocks, books)
  let next = 0
  const advance = (end: number): void => {
    while (next < end) makeSlot(next++)
  }
  advance(n_slots)
  return { plan, blocks, tokens, wallets, bank, ledger: books.ledger, dollar: mainnet.dollar, advance }
}

/** Makes one slot after the other. A trade of a skipped slot is in the next block. */
function slotMaker(town: Town, blocks: Map<number, SimulatedBlock>, books: Books): (slot: number) => void {
  const { seed, start_s, slot_s } = town.plan
  const open: { trip: Trip; amount: bigint }[] = []
  let [parent, due] = [0, [] as number[]]
  return (slot) => {
    due.push(slot)
    if (isSkipped(seed, slot)) return
    const time_s = start_s + slot * slot_s
    const made: BankTransaction[] = []
    const place = (transaction: BankTransaction): Parameters<Books['trade']>[0] => {
      made.push(transaction)
      // Votes stand between the others.
      const tx_index = 2 * made.length - 1
      return { block: slot, tx_index, tx: signatureOf(seed, slot, tx_index), ts_s: time_s }
    }
    if (slot === 0) openTown(town, place, books)
    else playSlot({ ...town, slot, due, open }, place, books)
    blocks.set(slot, {
      slot,
      parent,
      time_s,
      hash: hashOf(seed, slot),
      parent_hash: hashOf(seed, parent),
      transactions: made.flatMap((transaction, n) => [
        { signature: signatureOf(seed, slot, 2 * n), made: null },
        { signature: signatureOf(seed, slot, 2 * n + 1), made: transaction },
      ]),
    })
    ;[parent, due] = [slot, []]
  }
}

type Town = {
  plan: SolanaPlan
  tokens: readonly SolanaToken[]
  wallets: readonly string[]
  bank: Bank
  treasury: string
  relayer: string
}
type Place = (transaction: BankTransaction) => Parameters<Books['trade']>[0]

const gifts = { lamports: 500_000_000_000n, dollars: 10n ** 13n }
/** Those of a usual wallet of a lifelike world: 25 SOL and 30,000 dollars. */
const lifelikeGifts = { lamports: 25_000_000_000n, dollars: 30_000_000_000n }

/** An amount of a usual wallet, by the wealth of another one; the same in a world that is not lifelike. */
const scaled = ({ seed, listings }: SolanaPlan, amount: bigint, index: number): bigint =>
  listings === undefined ? amount : (amount * fortuneOf(seed, index % n_wallets)) / usual

/** What a wallet is given at the start. */
const giftsOf = (plan: SolanaPlan, index: number): typeof gifts =>
  plan.listings === undefined
    ? gifts
    : {
        lamports: (lifelikeGifts.lamports * fortuneOf(plan.seed + 1, index)) / usual,
        dollars: scaled(plan, lifelikeGifts.dollars, index),
      }

/** Fills the pools, and gives each wallet SOL and dollars. */
function openTown({ plan, tokens, wallets, bank, treasury, relayer }: Town, place: Place, books: Books): void {
  bank.grant(treasury, 10n ** 15n)
  const first = bank.begin(treasury)
  first.open(treasury, mainnet.dollar, treasury)
  first.mint(mainnet.dollar, treasury, 10n ** 18n)
  first.send(treasury, relayer, 10n ** 12n)
  place(first.done(5_000n))
  for (const filled of fillPools(bank, tokens, { treasury, isLarge: plan.isLarge })) place(filled)
  for (const [index, wallet] of wallets.entries()) {
    const { lamports, dollars } = giftsOf(plan, index)
    const gift = bank.begin(treasury)
    gift.send(treasury, wallet, lamports)
    gift.open(wallet, mainnet.dollar, treasury)
    gift.move(mainnet.dollar, treasury, wallet, dollars)
    const at = place(gift.done(5_000n))
    books.move(at, { from: treasury, to: wallet, token: 'native', amount: lamports })
    books.move(at, { from: treasury, to: wallet, token: mainnet.dollar, amount: dollars })
  }
}

type Slot = Town & { slot: number; due: readonly number[]; open: { trip: Trip; amount: bigint }[] }

/** The trades of a slot, and of the skipped slots before it. */
function playSlot({ plan, tokens, wallets, bank, relayer, slot, due, open }: Slot, place: Place, books: Books): void {
  const random = createRandom(plan.seed, 9, slot)
  const tradingOf = (index: number): Trading => {
    const wallet = wallets[index % wallets.length] ?? ''
    return { bank, random, slot, wallet, relayer }
  }
  const tokenOf = (index: number): SolanaToken => {
    const token = tokens[index % tokens.length]
    if (token === undefined) throw new Error('no tokens; expected at least one')
    return token
  }
  // Each pool has a trade from the start, so that no price is thin.
  if (slot === 1)
    for (const [n, token] of [...tokens, ...tokens, ...tokens].entries()) {
      const trading = tradingOf(n)
      const made = buy(trading, token, scaled(plan, 1_000_000_000n, n))
      books.trade(place(made.transaction), trading.wallet, made)
    }
  for (const [n, { trip, amount }] of [...open.entries()].toReversed()) {
    if (trip.closed > slot) continue
    open.splice(n, 1)
    const trading = tradingOf(trip.wallet)
    const made = sell(trading, tokenOf(trip.token), amount)
    books.trade(place(made.transaction), trading.wallet, made)
  }
  for (const trip of due.flatMap((dueSlot) => tripsOpenedAt(plan.seed, dueSlot))) {
    const trading = tradingOf(trip.wallet)
    const made = buy(trading, tokenOf(trip.token), scaled(plan, 20_000_000n + trip.dollars, trip.wallet))
    books.trade(place(made.transaction), trading.wallet, made)
    open.push({ trip: { ...trip, closed: Math.max(trip.closed, slot + 1) }, amount: made.bought.amount })
  }
  playOthers({ plan, tokens, random, tradingOf }, place, books)
}

type Playing = { random: Trading['random']; tradingOf: (n: number) => Trading }

/** Now and then a round trip, a failed transaction, and a payment between two wallets. */
function playOthers(
  { plan, tokens, random, tradingOf }: Pick<Town, 'plan' | 'tokens'> & Playing,
  place: Place,
  books: Books,
): void {
  const index = random.below(n_wallets)
  const trading = tradingOf(index)
  if (random.chance(0.1)) {
    const made = arbitrage(
      trading,
      random.pick(tokens.slice(1)),
      scaled(plan, BigInt(100 + random.below(900)) * 1_000_000n, index),
    )
    if (made !== undefined) books.trade(place(made.transaction), trading.wallet, made, 'arbitrage')
  }
  if (random.chance(0.1)) {
    const failed = trading.bank.begin(trading.wallet)
    failed.call({ program: mainnet.jupiter, accounts: [mainnet.token, trading.wallet], data: 'route' })
    books.gas(place(failed.done(7_000n, false)), trading.wallet, 7_000n)
  }
  if (random.chance(0.1)) {
    const to = tradingOf(random.below(n_wallets)).wallet
    const amount = scaled(plan, BigInt(1 + random.below(1_000)) * 1_000_000n, index)
    if (to === trading.wallet) return
    const paid = trading.bank.begin(trading.wallet)
    paid.move(mainnet.dollar, trading.wallet, to, amount)
    books.move(place(paid.done(5_000n)), { from: trading.wallet, to, token: mainnet.dollar, amount })
  }
}
