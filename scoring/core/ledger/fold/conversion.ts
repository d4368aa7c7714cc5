import { touch, type Book } from './book.ts'
import { realize } from './entry.ts'
import type { Event } from './input.ts'
import { add, lack, take } from './position.ts'
import { least, shareOut } from './round.ts'

/** A question of a neg-risk group: its market, and its bit in an index set (-1: unknown to the venue). */
export type Question = { market: number; bit: number }

/** The outcomes of a question. */
const yes = 0
export const no = 1

/** The questions of an index set; undefined if it is empty or names an unknown question. */
export function choose(questions: readonly Question[], set: bigint): readonly Question[] | undefined {
  const chosen = questions.filter(({ bit }) => bit >= 0 && ((set >> BigInt(bit)) & 1n) === 1n)
  const named = chosen.reduce((sum, { bit }) => sum | (1n << BigInt(bit)), 0n)
  return chosen.length > 0 && named === set ? chosen : undefined
}

/**
 * Turns `size` NO shares of k questions of a group into as many YES shares of the others and k - 1 US dollars a share.
 * Cost is conserved: the YES shares get the cost of the NO shares minus the dollars, even below zero. If the set has
 * all questions, there is no YES for the cost, and the dollars are the proceeds.
 */
export function convert(nos: readonly Book[], others: readonly Book[], event: Event): void {
  const cash = BigInt(nos.length - 1) * event.size
  if (others.length === 0) return shareOut(cash, nos, (book, proceeds) => giveUp(book, event, proceeds))
  const cost = nos.reduce((sum, book) => sum + giveUp(book, event), 0n)
  shareOut(cost - cash, others, (book, part) => {
    const entry = touch(book, yes, event)
    add(entry.position, event.size, part)
    entry.journal.received(entry, event.size)
  })
}

/** Removes a question's NO shares, at cost if no cash is returned. Returns that cost. */
function giveUp(book: Book, event: Event, handedBack?: bigint): bigint {
  const entry = touch(book, no, event)
  const { position } = entry
  const size = least(event.size, position.size)
  if (size === 0n) {
    lack(position, event.size, handedBack ?? 0n)
    return 0n
  }
  const cost = take(position, size)
  realize(entry, 'conversion', size, handedBack ?? cost, cost)
  lack(position, event.size - size, 0n)
  return cost
}
