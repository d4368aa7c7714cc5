import type { Address } from '#api/contract/address.ts'

import { findAssets } from './assets.ts'
import { chainOf } from './chains.ts'
import type { Concept } from './concepts/concept.ts'
import { stemsOf } from './concepts/stems.ts'
import { findExclusions } from './exclusions.ts'
import { findIds, mostEntities } from './ids.ts'
import type { Lexicon } from './lexicon.ts'
import { numberOfWord, periodOf, type Period } from './periods.ts'
import { writtenOut } from './phrases/shorthand.ts'
import { limitOf } from './quantity.ts'
import { withWholeAddresses } from './shortened.ts'
import { sinceOf } from './since.ts'
import { isNoise, subjectWords } from './subject.ts'
import type { FoundMarket } from './titles.ts'
import { platformsOf } from './venue_words.ts'
import { archetypeWords, firstOf, tagWords } from './vocabulary.ts'
import { isOrdinary, spelled } from './words.ts'

/** The parts of a question that intents read, found once. */
export type Reading = {
  /** In lower case with corrected cues; entities are replaced by `<asset>`, `<address>`, `<market>` and `<signal>`. */
  text: string
  /** The same with the entities as they were typed. */
  plain: string
  addresses: Address[]
  /** A word that stands for an address and is none, such as a shortened address or a name of ENS. */
  unknownAddress: string | null
  /** The side that knows the first address: both may be true or false. */
  isTrader: boolean
  isWallet: boolean
  signals: string[]
  /** Ids of markets that were typed as such. */
  marketIds: string[]
  assets: string[]
  /** A symbol that is not tracked. */
  unknownAsset: string | null
  chain: string | null
  unknownChain: string | null
  /** The venues that it names, in their order. */
  platforms: string[]
  archetype: string | null
  tag: string | null
  period: Period | null
  since: Date | null
  limit: number | null
  /** Things that the question leaves out, as facts name them. They are in no other field. */
  excluded: string[]
  /** Words that are no cue, no small word and no entity. */
  foreign: string[]
  /** The words of the question's subject, for titles of markets. */
  subject: string[]
  /** Markets by their titles, the best first. */
  titles: FoundMarket[]
  /** Finds markets by another part of the question. */
  findTitles: (text: string) => Promise<FoundMarket[]>
  /** Whether the question has a way to say a concept. */
  means: (concept: Concept) => boolean
}

const mostCharacters = 500

/**
 * Reads a question. The lexicon gives the names that the current snapshots know. Words of time count back from
 * `now_ms`.
 */
export async function readQuestion(
  query: string,
  { lexicon, now_ms }: { lexicon: Lexicon; now_ms: number },
): Promise<Reading> {
  const { kept, excluded } = findExclusions(writtenOut(clean(query)), lexicon.assets)
  const ids = findIds(await withWholeAddresses(kept, lexicon.findAddresses))
  const { symbols, masked, unknown } = findAssets(ids.masked, lexicon.assets)
  const text = corrected(masked)
  const plain = corrected(ids.masked)
  const stems = stemsOf(text)
  const chain = chainOf(plain)
  const [first] = ids.addresses
  const limit = limitOf(plain)
  const [knowledge, { subject, titles }] = await Promise.all([
    lexicon.knows(first),
    findSubject(ids.masked.replaceAll(/<\w+>/g, ' '), { lexicon, limit }),
  ])
  return {
    ...ids,
    ...knowledge,
    text,
    plain,
    assets: symbols.slice(0, mostEntities),
    unknownAsset: unknown,
    chain: chain.slug,
    unknownChain: chain.unknown,
    platforms: platformsOf(plain),
    archetype: firstOf(archetypeWords, plain),
    tag: firstOf(tagWords, plain),
    period: periodOf(plain),
    since: sinceOf(plain, now_ms),
    limit,
    excluded,
    foreign: foreignWords(text, chain.slug),
    subject,
    titles,
    findTitles: (part) => lexicon.findMarkets(subjectWords(part)),
    means: (concept) => concept(stems),
  }
}

/** The subject of a question is that of its sentence or phrase whose words fit a title clearly best. */
async function findSubject(
  text: string,
  { lexicon, limit }: { lexicon: Lexicon; limit: number | null },
): Promise<Pick<Reading, 'subject' | 'titles'>> {
  const sentences = text.split(/[.!?;:]\s+|\s[-–—]+\s/).filter((sentence) => /\w/.test(sentence))
  const phrases = [...text.matchAll(phrase)].map(([, words = '']) => words)
  const candidates = await Promise.all(
    [text, ...(sentences.length > 1 ? sentences.slice(0, 4) : []), ...phrases.slice(0, 2)].map(async (part) => {
      const subject = subjectWords(part).filter(
        (word) => word !== String(limit) && (limit === null || numberOfWord(word) !== limit),
      )
      return { subject, titles: await lexicon.findMarkets(subject) }
    }),
  )
  return candidates.reduce((best, candidate) =>
    shareOf(candidate) > shareOf(best) + 0.2 && candidate.subject.length > 0 ? candidate : best,
  )
}

/** `any money in the mars market` is about Mars. */
const phrase = /\b(?:the|on|of|for|about|in) ((?:[\w$.,%'-]+ ){1,4}?)(?:market|contract)\b/gi

const shareOf = ({ titles }: Pick<Reading, 'titles'>): number => titles[0]?.share ?? 0

const clean = (query: string): string =>
  query
    .normalize('NFKC')
    .replaceAll(/\p{C}+/gu, ' ')
    .replaceAll(/[‘’`´]/g, "'")
    .replaceAll(/[“”]/g, '"')
    .replaceAll(/\bn ?= ?(?=\d)/g, 'limit ')
    .replaceAll(/\b(sort|range|limit|type|order|chain|tag|status|platform)=/g, '$1 ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, mostCharacters)

const corrected = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/\bon[ -]chain\b/g, 'onchain')
    .replaceAll(/<[^>]*>|[a-z]+/g, (word) => (word.startsWith('<') ? word : spelled(word)))

const foreignWords = (text: string, chain: string | null): string[] =>
  text
    .replaceAll(/<\w+>|'\w+|\d\w*/g, ' ')
    .split(/[^a-z]+/)
    .filter((word) => word.length > 2 && word !== chain && !isOrdinary(word) && !isNoise(word) && !/..ly$/.test(word))
