import { findAssets, type Asset } from './assets.ts'
import { chainOf } from './chains.ts'
import { platformsOf } from './venue_words.ts'
import { archetypeWords, firstOf, sentimentOf, tagWords } from './vocabulary.ts'
import { isOrdinary } from './words.ts'

/**
 * A question without the things that it leaves out, and these as answers name them: symbols, archetypes, tags, venues.
 */
export type Exclusions = { kept: string; excluded: string[] }

const lead = String.raw`\b(?:other than|except(?: for)?|excluding|apart from|aside from|besides|leav(?:e|ing) out|skip(?:ping)?|omit(?:ting)?|minus|outside(?: of)?|not counting|(?:anything|everything|everyone|anyone|all|any|no one|nobody|coins?|tokens?|markets?|wallets?|traders?) but|but (?:not|no)|(?<!yes (?:and|or|vs) |yes\/)no(?! one\b)|(?<!\bor )not(?: (?:about|on|in|from|including))?|aren't|isn't|without|ignoring|instead of|rather than)`
const named = String.raw`(?:the |an? |any )?(\$?[\w-]+(?: hunters?| makers?| backers?| chasers?| money)?)`
const first = new RegExp(`${lead} ${named}`, 'gi')
const further = new RegExp(String.raw`^(?:,? (?:and|or|nor|&) (?:not )?|, ?| ?/ ?)${named}`, 'i')

/**
 * Finds `not bitcoin`, `other than whales`, `except memecoins and whales`. Words that name nothing are left in the
 * question.
 */
export function findExclusions(text: string, assets: readonly Asset[]): Exclusions {
  const excluded: string[] = []
  const take = (match: RegExpExecArray | null): string | null => {
    const names = match ? namesOf(match[1] ?? '', assets) : []
    excluded.push(...names)
    return names.length > 0 ? (match?.[0] ?? null) : null
  }
  let [kept, at] = ['', 0]
  first.lastIndex = 0
  for (let match = first.exec(text); match; match = first.exec(text)) {
    if (take(match) === null) continue
    kept += `${text.slice(at, match.index)} `
    at = match.index + match[0].length
    for (let next = take(further.exec(text.slice(at))); next !== null; next = take(further.exec(text.slice(at))))
      at += next.length
    first.lastIndex = at
  }
  kept += text.slice(at)
  return { kept: kept.replaceAll(/\s+/g, ' ').trim(), excluded: [...new Set(excluded)] }
}

const namesOf = (name: string, assets: readonly Asset[]): string[] => {
  const word = name.toLowerCase()
  const { symbols } = findAssets(`about ${name}`, assets)
  const words = [firstOf(archetypeWords, word), firstOf(tagWords, word), sentimentOf(word)]
  const slug = isOrdinary(word) && symbols.length === 0 ? null : chainOf(`on ${word}`).slug
  return [
    ...symbols,
    ...(slug === null ? [] : [slug]),
    ...platformsOf(word),
    ...new Set(words.filter((term) => term !== null)),
  ]
}
