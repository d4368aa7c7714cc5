import { positionsOf, resolveAll, resolveUntil, touch, type Book, type Resolution } from './book.ts'
import { choose, convert, no, type Question } from './conversion.ts'
import { type Journal, sell } from './entry.ts'
import type { Event } from './input.ts'
import { add, type Position } from './position.ts'
import { redeem } from './redemption.ts'
import { divideHalfEven } from './round.ts'

/** What holds for every trader, by the number of a market or of a group's first market. */
export type Facts = { resolutions: Map<number, Resolution[]>; questions: Map<number, Question[]> }

/** A trader in one cluster: a market, or a neg-risk group where the trader converted. */
export type Account = {
  journal: Journal
  facts: Facts
  trader: number
  cluster: number
  books: Book[]
  /** When it was first seen that a conversion does not say of what. */
  doubtedAt: bigint | undefined
}

/** Enters the trader's next event. */
export function enter(account: Account, event: Event): void {
  if (event.kind === 'convert') return enterConversion(account, event)
  const book = bookOf(account, event.market)
  resolveUntil(book, event.ts, event.kind === 'redeem')
  switch (event.kind) {
    case 'buy': {
      const { position } = touch(book, event.outcome, event)
      position.fees += event.fee
      return add(position, event.size, event.cash + event.fee)
    }
    case 'sell': {
      const entry = touch(book, event.outcome, event)
      entry.position.fees += event.fee
      return sell(entry, 'sale', event.size, event.cash - event.fee)
    }
    case 'split':
      return halves(event.size).forEach((cost, outcome) => add(touch(book, outcome, event).position, event.size, cost))
    case 'merge':
      return halves(event.size).forEach((net, outcome) => sell(touch(book, outcome, event), 'merge', event.size, net))
    case 'redeem':
      return redeem(book, event)
  }
}

/** A pair of shares is worth a dollar; each of its outcomes is entered at half of it. */
const halves = (size: bigint): bigint[] => {
  const half = divideHalfEven(size, 2n)
  return [half, size - half]
}

/** A conversion that does not say of which questions, or says of some that are not described, leaves all in doubt. */
function enterConversion(account: Account, event: Event): void {
  const questions = questionsOf(account)
  const chosen = event.indexSet === null ? undefined : choose(questions, BigInt(event.indexSet))
  if (chosen === undefined) {
    account.doubtedAt ??= event.ts
    return
  }
  const booksOf = (some: readonly Question[]): Book[] => some.map(({ market }) => bookOf(account, market))
  for (const book of booksOf(questions)) resolveUntil(book, event.ts, false)
  convert(booksOf(chosen), booksOf(questions.filter((question) => !chosen.includes(question))), event)
}

const questionsOf = ({ facts, cluster }: Account): readonly Question[] => facts.questions.get(cluster) ?? []

/** After a conversion in doubt no position of the group is complete; where there is none, an empty one says so. */
function doubt(account: Account, ts: bigint): void {
  const positions = (): Position[] => account.books.flatMap((book) => positionsOf(book))
  const [first] = questionsOf(account)
  if (positions().length === 0 && first !== undefined) touch(bookOf(account, first.market), no, { ts, seq: 0 })
  for (const position of positions()) position.isComplete = false
}

const none: readonly Resolution[] = []

/** The trader's book of a market, opened where this is its first event. */
function bookOf({ journal, facts, trader, books }: Account, market: number): Book {
  for (const book of books) if (book.market === market) return book
  const resolutions = facts.resolutions.get(market) ?? none
  const book: Book = { journal, trader, market, positions: [], resolutions, n_resolved: 0 }
  books.push(book)
  return book
}

/** Enters what came after the trader's last event, and hands the positions over. */
export function close(account: Account): void {
  const { journal, trader, books } = account
  for (const book of books) resolveAll(book)
  if (account.doubtedAt !== undefined) doubt(account, account.doubtedAt)
  for (const book of books) for (const position of positionsOf(book)) journal.held(trader, book.market, position)
}
