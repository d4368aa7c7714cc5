import type { Random } from '#sim/random.ts'

import { rent, type Bank, type BankTransaction, type Draft } from './bank.ts'
import { boughtFor, swapIn, worth, type SolanaPool, type SolanaToken } from './market.ts'
import { mainnet } from './names.ts'

/**
 * The ways in which a wallet sends a trade: over an aggregator, paid by a relayer, with a tip, and with a priority fee.
 */
type Manner = { isRouted: boolean; isRelayed: boolean; tip: bigint; fee: bigint }

/** A trade with its transaction. `gas_fee` is what the wallet paid: the fee, its tip, and rent less returned rent. */
export type MadeTrade = {
  transaction: BankTransaction
  pools: readonly SolanaPool[]
  sold: Leg
  bought: Leg
  /** The steps through pools, in their order. */
  swaps: readonly { pool: SolanaPool; sold: Leg; bought: Leg }[]
  gas_fee: bigint
}
export type Leg = { mint: string; amount: bigint }

const mannerOf = (random: Random): Manner => ({
  isRouted: random.chance(0.5),
  isRelayed: random.chance(0.15),
  tip: random.chance(0.3) ? BigInt(1_000 + random.below(100_000)) : 0n,
  fee: 5_000n + BigInt(random.below(20_000)),
})

/** The wallet, the slot and the bank of a trade. */
export type Trading = { bank: Bank; random: Random; slot: number; wallet: string; relayer: string }

/** A purchase of a token for raw dollars. */
export const buy = (trading: Trading, token: SolanaToken, paid: bigint): MadeTrade =>
  trade(trading, token, {
    sold: { mint: mainnet.dollar, amount: paid },
    bought: legOf(token, boughtFor(token, paid, trading.slot)),
  })

/** A sale of an amount of a token for dollars. */
export const sell = (trading: Trading, token: SolanaToken, amount: bigint): MadeTrade =>
  trade(trading, token, {
    sold: legOf(token, amount),
    bought: { mint: mainnet.dollar, amount: worth(token, amount, trading.slot) },
  })

const legOf = ({ mint }: SolanaToken, amount: bigint): Leg => ({ mint, amount })

function trade(trading: Trading, token: SolanaToken, { sold, bought }: { sold: Leg; bought: Leg }): MadeTrade {
  const { bank, random, wallet, relayer } = trading
  const manner = mannerOf(random)
  const pool = random.pick(token.pools)
  // The account of wrapped SOL gives its rent to its owner, so a relayer opens none.
  const payer = manner.isRelayed && token.mint !== mainnet.wrapped ? relayer : wallet
  const draft = bank.begin(payer, [...new Set([payer, wallet])])
  if (manner.isRouted)
    draft.call({ program: mainnet.jupiter, accounts: [mainnet.token, wallet, pool.address], data: 'route' })
  const before = rentOf(bank, wallet)
  for (const { mint } of [sold, bought]) draft.open(wallet, mint, payer)
  if (sold.mint === mainnet.wrapped) draft.wrap(wallet, sold.amount)
  swapIn(draft, { wallet, pool, sold, bought })
  closeEmpty(draft, trading, [sold, bought])
  const { tip, fee } = manner
  if (tip > 0n) draft.send(payer, mainnet.tips, tip)
  const gas_fee = payer === wallet ? fee + tip + rentOf(bank, wallet) - before : 0n
  return { transaction: draft.done(fee), pools: [pool], sold, bought, swaps: [{ pool, sold, bought }], gas_fee }
}

/** The rent that is in an owner's accounts. */
const rentOf = (bank: Bank, owner: string): bigint => rent * BigInt(bank.accountsOf(owner).length)

/** Wrapped SOL is always unwrapped. An empty account of another token is sometimes closed. */
function closeEmpty(draft: Draft, { bank, random, wallet }: Trading, legs: readonly Leg[]): void {
  for (const { mint } of legs) {
    const isEmpty = bank.heldBy(wallet, mint) === 0n && mint !== mainnet.dollar
    if (mint === mainnet.wrapped || (isEmpty && random.chance(0.5))) draft.close(wallet, mint)
  }
}

/** A round trip of dollars through both pools of a token, with a gain of half a percent. */
export function arbitrage(trading: Trading, token: SolanaToken, paid: bigint): MadeTrade | undefined {
  const { bank, wallet, slot } = trading
  const [first, second] = token.pools
  if (first === undefined || second === undefined || token.mint === mainnet.wrapped) return undefined
  const amount = boughtFor(token, paid, slot)
  const draft = bank.begin(wallet)
  draft.call({ program: mainnet.jupiter, accounts: [mainnet.token, wallet, first.address], data: 'route' })
  const before = rentOf(bank, wallet)
  draft.open(wallet, token.mint, wallet)
  const [dollars, middle] = [
    { mint: mainnet.dollar, amount: paid },
    { mint: token.mint, amount },
  ]
  const back = { mint: mainnet.dollar, amount: paid + paid / 200n }
  swapIn(draft, { wallet, pool: first, sold: dollars, bought: middle })
  swapIn(draft, { wallet, pool: second, sold: middle, bought: back })
  const gas_fee = 5_000n + rentOf(bank, wallet) - before
  const swaps = [
    { pool: first, sold: dollars, bought: middle },
    { pool: second, sold: middle, bought: back },
  ]
  return { transaction: draft.done(5_000n), pools: token.pools, sold: dollars, bought: back, swaps, gas_fee }
}
