import { fortuneOf, usual } from '#sim/fortune.ts'

import { dollarOf, newcomersOf, tradesOf, walletsOf, wealthOf, type SimulatedChain } from './simulated_chain.ts'

/** The first balances of each wallet but those of a lifelike chain, in raw units: a million dollars, and 100 of the native coin for gas. */
export const funds = { dollars: 1_000_000n * 10n ** 6n, coins: 100n * 10n ** 18n }
/** Those of a usual wallet of a lifelike chain: 30,000 dollars, and coins for 4,000. */
const lifelike = { dollars: 30_000n * 10n ** 6n, coins_usd: 4_000 }

/** The first balances of a wallet, in raw units. */
export function fundsOf(chain: SimulatedChain, index: number): typeof funds {
  const [coin] = chain.listings ?? []
  if (coin === undefined) return funds
  const coins = BigInt(Math.round((1e9 * lifelike.coins_usd) / coin.usd)) * 10n ** 9n
  return {
    dollars: (lifelike.dollars * wealthOf(chain, index)) / usual,
    coins: (coins * fortuneOf(chain.id, index)) / usual,
  }
}

/** The sum of a wallet's trades of a token after a block that changed it. */
type Sum = { block: number; amount: bigint }

/** The sums of a chain's trades up to a head, by `<wallet> <token>`; `native` has the gas that was paid. */
type Book = {
  head: number
  /** The first balances by wallet. */
  wallets: ReadonlyMap<string, typeof funds>
  newcomers: ReadonlySet<string>
  /** In the order of their blocks. */
  sums: Map<string, Sum[]>
  /** The blocks of the transactions of each wallet, in their order. */
  sent: Map<string, number[]>
}

/** Heads only grow while a chain is followed, so the blocks of an answer count for the next one. */
const books = new WeakMap<SimulatedChain, Book>()

/** The balance of a wallet in a token, or in the `native` coin, after a block up to the head; in raw units. */
export function holdingOf(
  chain: SimulatedChain,
  head: number,
  { wallet, token, block }: { wallet: string; token: string; block: number },
): bigint {
  const { wallets, sums } = bookAt(chain, head)
  const first = wallets.get(wallet)
  if (first === undefined) return 0n
  const start = token === 'native' ? first.coins : token === dollarOf(chain) ? first.dollars : 0n
  return start + (sums.get(`${wallet} ${token}`)?.findLast((sum) => sum.block <= block)?.amount ?? 0n)
}

/** The transactions that a wallet has sent before block 0, unless it is a newcomer. */
const n_before = 3

/** The number of transactions that a wallet has sent up to a block, which is the head or below. */
export function nonceOf(chain: SimulatedChain, head: number, wallet: string, block: number): number {
  const { wallets, newcomers, sent } = bookAt(chain, head)
  const n_sent = (sent.get(wallet) ?? []).filter((place) => place <= block).length
  return n_sent + (wallets.has(wallet) && !newcomers.has(wallet) ? n_before : 0)
}

function bookAt(chain: SimulatedChain, head: number): Book {
  const cached = books.get(chain)
  const empty = (): Book => ({
    head: 0,
    wallets: new Map(walletsOf(chain).map((wallet, index) => [wallet, fundsOf(chain, index)])),
    newcomers: new Set(newcomersOf(chain)),
    sums: new Map(),
    sent: new Map(),
  })
  const book = cached !== undefined && cached.head <= head ? cached : empty()
  const add = (wallet: string, token: string, amount: bigint): void => {
    const sums = book.sums.get(`${wallet} ${token}`) ?? []
    sums.push({ block: book.head + 1, amount: (sums.at(-1)?.amount ?? 0n) + amount })
    book.sums.set(`${wallet} ${token}`, sums)
  }
  for (; book.head < head; book.head++) {
    for (const { wallet, token_sold, token_bought, ...trade } of tradesOf(chain, book.head + 1)) {
      add(wallet, token_sold, -trade.amount_sold)
      add(wallet, token_bought, trade.amount_bought)
      add(wallet, 'native', -trade.gas_fee)
      const sent = book.sent.get(wallet)
      if (sent === undefined) book.sent.set(wallet, [trade.block])
      else sent.push(trade.block)
    }
  }
  books.set(chain, book)
  return book
}
