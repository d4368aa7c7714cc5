import { venues } from '#registry/venues/index.ts'

/** The single words that name a venue, between spaces. */
export const venueWords = venues.flatMap(({ words }) => words.filter((word) => !word.includes(' '))).join(' ')

/** The names of the venues, as alternatives of a pattern. */
export const venueNames = venues.map(({ id }) => id).join('|')

const patterns = venues.map(({ id, words }) => ({ id, pattern: new RegExp(`\\b(?:${words.join('|')})\\b`) }))

/** The venues that a text names, in their order. */
export const platformsOf = (text: string): string[] =>
  patterns
    .map(({ id, pattern }) => ({ id, at: text.search(pattern) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at)
    .map(({ id }) => id)
