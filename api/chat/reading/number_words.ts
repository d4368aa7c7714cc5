import { numberOfWord } from './periods.ts'

const scales: ReadonlyMap<string, number> = new Map([
  ['hundred', 100],
  ['thousand', 1e3],
  ['million', 1e6],
  ['billion', 1e9],
])

/** A text whose large numbers in words are in digits: `one hundred fifty thousand` is `150000`. A lone `two` stays. */
export function largeNumbersInDigits(text: string): string {
  const words = text.split(/(?<=\s)|(?=\s)/)
  const out: string[] = []
  let at = 0
  while (at < words.length) {
    const run = runAt(words, at)
    out.push(run ? run.shown : (words[at] ?? ''))
    at = run ? run.end : at + 1
  }
  return out.join('')
}

/** The number that begins at a word, if it has a scale such as `thousand`, and the index after it. */
function runAt(words: readonly string[], from: number): { shown: string; end: number } | null {
  let [total, part, hasScale, end] = [0, 0, false, from]
  for (let at = from; at < words.length; at++) {
    const word = (words[at] ?? '').toLowerCase()
    if (at > from && (/^\s+$/.test(word) || (word === 'and' && hasScale))) continue
    const scale = scales.get(word)
    const value = /^[a-z-]+$/.test(word) ? numberOfWord(word) : null
    if (scale === undefined && value === null) break
    if (scale === undefined) part += value ?? 0
    else if (at === from) return null
    else [total, part] = scale === 100 ? [total, part * 100] : [total + part * scale, 0]
    hasScale ||= scale !== undefined
    end = at + 1
  }
  return hasScale ? { shown: String(total + part), end } : null
}
