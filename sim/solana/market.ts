import type { Listing } from '#sim/token_listings.ts'

import type { Bank, BankTransaction, Draft } from './bank.ts'
import { mainnet, nameOf } from './names.ts'

/** A token that is traded for dollars in two pools. Prices are raw dollars for a whole token. */
export type SolanaToken = {
  mint: string
  name: string
  symbol: string
  decimals: number
  program: string
  first: bigint
  pools: readonly SolanaPool[]
}

/** A pool. `authority` owns its vaults; on Raydium one authority owns those of all pools. */
export type SolanaPool = { address: string; authority: string; program: string }

/** The mint of the dollar, which a lifelike world has. */
export const dollarMint = {
  mint: mainnet.dollar,
  name: 'USD Coin',
  symbol: 'USDC',
  decimals: 6,
  program: mainnet.token,
} satisfies Partial<SolanaToken>

/** The tokens of a world. The first one is wrapped SOL, the fourth one a token of the second program. */
export function tokensOf(seed: number, n_tokens = 4, listings?: readonly Listing[]): SolanaToken[] {
  const shared = nameOf(seed, 'authority')
  return Array.from({ length: n_tokens }, (_, n) => {
    const listed = listings?.[n]
    const [raydium, whirlpool] = [nameOf(seed, 'raydium', n), nameOf(seed, 'whirlpool', n)]
    return {
      mint: n === 0 ? mainnet.wrapped : nameOf(seed, 'mint', n),
      name: listed?.name ?? (n === 0 ? 'Wrapped SOL' : `Token ${n}`),
      symbol: listed?.symbol ?? (n === 0 ? 'SOL' : `TK${n}`),
      decimals: n === 0 ? 9 : 6,
      program: n === 3 ? mainnet.token2022 : mainnet.token,
      first: BigInt(Math.round(1e6 * (listed?.usd ?? 150 * (n + 1)))),
      pools: [
        { address: raydium, authority: shared, program: mainnet.raydium },
        { address: whirlpool, authority: whirlpool, program: mainnet.whirlpool },
      ],
    }
  })
}

/** The price of a token in a slot: a zigzag of at most an eighth. */
export function priceAt({ first, decimals }: SolanaToken, slot: number): bigint {
  const period = 160 + 7 * decimals
  const step = Math.abs((slot % (2 * period)) - period)
  return first + (first * BigInt(step)) / BigInt(8 * period)
}

/** The value of an amount of a token, in raw dollars. */
export const worth = (token: SolanaToken, amount: bigint, slot: number): bigint =>
  (amount * priceAt(token, slot)) / 10n ** BigInt(token.decimals)

/** The raw amount of a token that an amount of raw dollars buys. */
export const boughtFor = (token: SolanaToken, paid: bigint, slot: number): bigint =>
  (paid * 10n ** BigInt(token.decimals)) / priceAt(token, slot)

/** The holder of a pool's vaults in the bank. On Raydium one authority owns them, and each pool has its own. */
export const holderOf = ({ address, authority }: SolanaPool): string =>
  address === authority ? address : `${authority}/${address}`

/** The owner that a node shows for a holder. */
export const ownerOf = (holder: string): string => holder.split('/')[0] ?? holder

/** Moves both sides of a swap between a wallet and a pool, as an inner call of the pool's program. */
export function swapIn(
  draft: Draft,
  { wallet, pool, sold, bought }: { wallet: string; pool: SolanaPool; sold: Side; bought: Side },
): void {
  const vault = holderOf(pool)
  draft.move(sold.mint, wallet, vault, sold.amount)
  draft.move(bought.mint, vault, wallet, bought.amount)
  const accounts = [sold, bought].flatMap(({ mint }) => [draft.addressOf(wallet, mint), draft.addressOf(vault, mint)])
  draft.call({
    program: pool.program,
    accounts: [mainnet.token, pool.address, pool.authority, ...accounts, wallet],
    data: 'swap',
    isInner: true,
  })
  for (const { mint } of [sold, bought]) {
    const ends = [draft.addressOf(wallet, mint), draft.addressOf(vault, mint)]
    draft.call({ program: mainnet.token, accounts: [...ends, wallet], data: 'transfer', isInner: true })
  }
}
type Side = { mint: string; amount: bigint }

/** The first balance of each vault, in raw units. */
const held = 10n ** 15n
/** The first balance of vaults of SOL in a world of large amounts: more lamports than a double holds exactly. */
const largeHeld = 10n ** 18n + 7n

/** Opens and fills the vaults of all pools. */
export const fillPools = (
  bank: Bank,
  tokens: readonly SolanaToken[],
  { treasury, isLarge }: { treasury: string; isLarge: boolean },
): BankTransaction[] =>
  tokens.flatMap(({ pools, mint }) =>
    pools.map((pool) => {
      const draft = bank.begin(treasury)
      for (const poolMint of [mint, mainnet.dollar]) {
        draft.open(holderOf(pool), poolMint, treasury)
        draft.mint(poolMint, holderOf(pool), isLarge ? largeHeld : held)
      }
      return draft.done(5_000n)
    }),
  )
