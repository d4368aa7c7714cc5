import { dollarOf, tradesOf, walletsOf, type SimulatedChain } from './simulated_chain.ts'

/** What each wallet has from the start, in raw units: a million dollars, and 100 of the native coin for gas. */
export const funds = { dollars: 1_000_000n * 10n ** 6n, coins: 100n * 10n ** 18n }

/** The sums of a chain's trades up to a head, by `<wallet> <token>`; `native` has the gas that was paid. */
type Book = { head: number; wallets: ReadonlySet<string>; sums: Map<string, bigint> }

/** Heads only grow while a chain is followed, so the blocks of an answer count for the next one. */
const books = new WeakMap<SimulatedChain, Book>()

/** What a wallet holds of a token, or of the `native` coin, after a block; in raw units. */
export function holdingOf(chain: SimulatedChain, head: number, wallet: string, token: string): bigint {
  const { wallets, sums } = bookAt(chain, head)
  if (!wallets.has(wallet)) return 0n
  const start = token === 'native' ? funds.coins : token === dollarOf(chain) ? funds.dollars : 0n
  return start + (sums.get(`${wallet} ${token}`) ?? 0n)
}

function bookAt(chain: SimulatedChain, head: number): Book {
  const known = books.get(chain)
  const empty = (): Book => ({ head: 0, wallets: new Set(walletsOf(chain)), sums: new Map() })
  const book = known !== undefined && known.head <= head ? known : empty()
  const add = (wallet: string, token: string, amount: bigint): unknown =>
    book.sums.set(`${wallet} ${token}`, (book.sums.get(`${wallet} ${token}`) ?? 0n) + amount)
  for (; book.head < head; book.head++) {
    for (const { wallet, token_sold, token_bought, ...trade } of tradesOf(chain, book.head + 1)) {
      add(wallet, token_sold, -trade.amount_sold)
      add(wallet, token_bought, trade.amount_bought)
      add(wallet, 'native', -trade.gas_fee)
    }
  }
  books.set(chain, book)
  return book
}
