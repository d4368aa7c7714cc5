import { floor } from '#test/oracle/round.ts'

import { type Book, acquire, costOf, realize, touched } from './book.ts'
import type { LedgerContext, LedgerEvent, LedgerMarket, Position } from './event.ts'

const yes = 0
const no = 1

type Leg = { position: Position; size: bigint; cost: bigint }

/**
 * `event.size` NO shares of each of k questions become as many YES shares of each of the others and (k - 1) USD a
 * share. With others, the cost goes over to them and nothing is realized; without, the cash is all there is and is
 * realized.
 */
export function conversion(book: Book, event: LedgerEvent, context: LedgerContext): void {
  const questions = questionsOf(context, event.neg_risk_id)
  if (event.index_set === null) {
    book.unknown.push(event)
    return
  }
  const { given, others } = divided(questions, event.index_set)
  const legs = given.map((question) => givenUp(book, event, question))
  const cash = BigInt(given.length - 1) * event.size

  if (others.length === 0) {
    for (const [i, leg] of legs.entries()) {
      const proceeds = portion(cash, given.length, i)
      if (leg.size > 0n) realize(book, event, leg.position, 'conversion', leg.size, proceeds)
      else leg.position.untracked += proceeds
    }
    return
  }
  for (const leg of legs) if (leg.size > 0n) realize(book, event, leg.position, 'conversion', leg.size, leg.cost)
  const cost = legs.reduce((sum, leg) => sum + leg.cost, 0n) - cash
  for (const [i, question] of others.entries())
    acquire(touched(book, question.market_id, yes, event.ts), event.size, portion(cost, others.length, i))
}

/** The NO shares that the trader holds, and their cost; the rest is untracked. */
function givenUp(book: Book, event: LedgerEvent, question: LedgerMarket): Leg {
  const position = touched(book, question.market_id, no, event.ts)
  const size = event.size < position.size ? event.size : position.size
  if (size < event.size) {
    position.size_untracked += event.size - size
    position.is_complete = false
  }
  return { position, size, cost: costOf(position, size) }
}

/** The i-th of n whole portions of a total: the first ones are a millionth larger where it does not divide. */
function portion(total: bigint, n: number, i: number): bigint {
  const least = floor(total, BigInt(n))
  const rest = total - least * BigInt(n)
  return BigInt(i) < rest ? least + 1n : least
}

/**
 * Marks what conversions of unknown questions may have moved: all that the trader has in the group by the end, or, with
 * nothing there, an empty position, so that the trader is seen to be incomplete.
 */
export function unknownConversions(book: Book, context: LedgerContext): void {
  const groups = new Set(book.unknown.map((event) => event.neg_risk_id))
  for (const group of groups) {
    const questions = questionsOf(context, group)
    const ids = questions.map((question) => question.market_id)
    const [first] = ids
    if (first !== undefined && !book.positions.some((position) => ids.includes(position.market_id)))
      for (const event of book.unknown) if (event.neg_risk_id === group) touched(book, first, no, event.ts)
    for (const position of book.positions) if (ids.includes(position.market_id)) position.is_complete = false
  }
}

/** The questions of a group, by their index. */
function questionsOf(context: LedgerContext, neg_risk_id: string | null): LedgerMarket[] {
  const questions = context.markets.filter((market) => neg_risk_id !== null && market.neg_risk_id === neg_risk_id)
  if (questions.length === 0)
    throw new RangeError(`A conversion is in the group '${neg_risk_id}': it must be the group of a given market.`)
  return questions.sort((a, b) => indexOf(a) - indexOf(b))
}

function indexOf(question: LedgerMarket): number {
  if (question.neg_risk_index === null)
    throw new RangeError(`Market '${question.market_id}' is in a group: it must have an index there.`)
  return question.neg_risk_index
}

function divided(questions: LedgerMarket[], index_set: bigint): { given: LedgerMarket[]; others: LedgerMarket[] } {
  const isGiven = (question: LedgerMarket): boolean => ((index_set >> BigInt(indexOf(question))) & 1n) === 1n
  const given = questions.filter(isGiven)
  const others = questions.filter((question) => !isGiven(question))
  const known = given.reduce((sum, question) => sum + (1n << BigInt(indexOf(question))), 0n)
  if (index_set === 0n || known !== index_set)
    throw new RangeError(`A conversion has the index set ${index_set}: it must name some of the group, and none else.`)
  return { given, others }
}
