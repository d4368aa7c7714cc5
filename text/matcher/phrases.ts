import { wordsOf } from './tokens.ts'

/** Phrases by their words: a tree, whose nodes hold the meanings of the phrase that ends there. */
export type Phrases<M> = { next: Map<string, Phrases<M>>; meanings: M[] }

export const emptyPhrases = <M>(): Phrases<M> => ({ next: new Map(), meanings: [] })

/** Adds a phrase; one of several words is added in one word too, as hashtags write it. */
export function addPhrase<M>(phrases: Phrases<M>, phrase: string, meaning: M): void {
  const { lower, starts, ends } = wordsOf(phrase)
  const words = starts.map((start, n) => lower.slice(start, ends[n]))
  if (words.length === 0) throw new Error(`phrase ${phrase}: no word; expected letters or digits`)
  nodeOf(phrases, words).meanings.push(meaning)
  const joined = words.join('')
  if (words.length > 1 && joined.length >= 6) nodeOf(phrases, [joined]).meanings.push(meaning)
}

function nodeOf<M>(phrases: Phrases<M>, words: readonly string[]): Phrases<M> {
  let node = phrases
  for (const word of words) {
    const next = node.next.get(word) ?? emptyPhrases<M>()
    node.next.set(word, next)
    node = next
  }
  return node
}

/** Whether the characters between two words let a phrase go on: one space, dot, hyphen, underscore or slash. */
export function isJoin(lower: string, end: number, start: number): boolean {
  if (start - end !== 1) return false
  const code = lower.charCodeAt(end)
  return code === 32 || code === 46 || code === 45 || code === 95 || code === 47
}
