import { stemsOf } from './stems.ts'

/** Finds a concept in the stems of a question. */
export type Concept = (stems: string) => boolean

/**
 * A concept by its ways to say it, separated by commas or lines. A phrase is written in any form of its words; `a|b` is
 * one of two words and `~` stands for up to two further words.
 */
export function concept(...tables: readonly string[]): Concept {
  const phrases = tables.flatMap((table) => table.split(/[,\n]/)).filter((phrase) => phrase.trim() !== '')
  const single = new Set<string>()
  const longer: string[] = []
  for (const phrase of phrases) {
    const stems = stemsOf(phrase.replaceAll('|', ' | ')).trim().replaceAll(' | ', '|')
    if (/[ |~]/.test(stems)) longer.push(stems.split(' ').map(patternOf).join(''))
    else single.add(stems)
  }
  const pattern = longer.length === 0 ? null : new RegExp(` (?:${longer.join('|')})`)
  return (stems) => stems.split(' ').some((word) => single.has(word)) || (pattern?.test(stems) ?? false)
}

/** A word of a phrase with the space after it. */
const patternOf = (word: string): string =>
  word === '~' ? String.raw`(?:\S+ ){0,2}` : `(?:${word.split('|').map(escaped).join('|')}) `

const escaped = (word: string): string => word.replaceAll(/[$()*+.?[\\\]^{|}-]/g, String.raw`\$&`)
