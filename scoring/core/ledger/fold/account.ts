import { positionsOf, resolveAll, resolveUntil, touch, type Book, type Resolution } from './book.ts'
import { choose, convert, no, type Question } from './conversion.ts'
import { type Journal, sell } from './entry.ts'
import type { Event } from './input.ts'
import { migrateFrom, migrateTo, type InTransit } from './migration.ts'
import { add, type Position } from './position.ts'
import { redeem } from './redemption.ts'
import { divideHalfEven } from './round.ts'

/** The facts that hold for every trader, by the number of a market or of a group's first market. */
export type Facts = { resolutions: Map<number, Resolution[]>; questions: Map<number, Question[]> }

/** A trader in one cluster: a market, or groups of markets if the trader converted or migrated in them. */
export type Account = {
  journal: Journal
  facts: Facts
  trader: number
  cluster: number
  books: Book[]
  /** The time of the first conversion of unknown questions. */
  unknownSince: bigint | undefined
  inTransit: InTransit
}

/** Applies the trader's next event. */
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
    case 'transfer_in':
      return add(touch(book, event.outcome, event).position, event.size, event.cash)
    case 'transfer_out':
      return sell(touch(book, event.outcome, event), 'transfer', event.size, event.cash)
    case 'migrate_from':
      return migrateFrom(account.inTransit, touch(book, event.outcome, event), event.size)
    case 'migrate_to':
      return migrateTo(account.inTransit, touch(book, event.outcome, event), event.size)
  }
}

/** A pair of shares is worth a dollar; each of its outcomes counts half of it. */
const halves = (size: bigint): bigint[] => {
  const half = divideHalfEven(size, 2n)
  return [half, size - half]
}

/**
 * A conversion of unknown questions, or of questions without a description, makes all positions unverified. Questions
 * that the group got later are not part of it.
 */
function enterConversion(account: Account, event: Event): void {
  const { n_questions } = event
  const questions = questionsOf(account).filter(({ bit }) => n_questions === null || bit < n_questions)
  const chosen = event.indexSet === null ? undefined : choose(questions, BigInt(event.indexSet))
  if (chosen === undefined) {
    account.unknownSince ??= event.ts
    return
  }
  const booksOf = (some: readonly Question[]): Book[] => some.map(({ market }) => bookOf(account, market))
  for (const book of booksOf(questions)) resolveUntil(book, event.ts, false)
  convert(booksOf(chosen), booksOf(questions.filter((question) => !chosen.includes(question))), event)
}

const questionsOf = ({ facts, cluster }: Account): readonly Question[] => facts.questions.get(cluster) ?? []

/** After such a conversion no position of the group is complete. Without a position, an empty one records it. */
function markIncomplete(account: Account, ts: bigint): void {
  const questions = questionsOf(account)
  const isOfGroup = (book: Book): boolean => questions.some(({ market }) => market === book.market)
  const positions = (): Position[] => account.books.filter(isOfGroup).flatMap((book) => positionsOf(book))
  const [first] = questions
  if (positions().length === 0 && first !== undefined) touch(bookOf(account, first.market), no, { ts, seq: 0 })
  for (const position of positions()) position.isComplete = false
}

const none: readonly Resolution[] = []

/** The trader's book of a market, created by its first event. */
function bookOf({ journal, facts, trader, books }: Account, market: number): Book {
  for (const book of books) if (book.market === market) return book
  const resolutions = facts.resolutions.get(market) ?? none
  const book: Book = { journal, trader, market, positions: [], resolutions, n_resolved: 0 }
  books.push(book)
  return book
}

/** Applies the resolutions after the trader's last event, and returns the positions. */
export function close(account: Account): void {
  const { journal, trader, books } = account
  for (const book of books) resolveAll(book)
  if (account.unknownSince !== undefined) markIncomplete(account, account.unknownSince)
  for (const book of books) for (const position of positionsOf(book)) journal.held(trader, book.market, position)
}
