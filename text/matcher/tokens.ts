/** The words of a text: `lower` is the text in lower case, with the same offsets; word n is `[starts[n], ends[n])`. */
export type Words = { lower: string; starts: number[]; ends: number[] }

/**
 * Cuts a text into words of letters and digits. Emoji and scripts without spaces between words separate words, so that
 * a symbol with a Korean particle is found. Addresses of the web are one word each, without their scheme.
 */
export function wordsOf(text: string): Words {
  const lower = lowerCase(text)
  const words: Words = { lower, starts: [], ends: [] }
  let at = 0
  while (at < lower.length) {
    if (!isWordCode(lower.charCodeAt(at))) {
      at += 1
      continue
    }
    const start = at
    while (at < lower.length && isWordCode(lower.charCodeAt(at))) at += 1
    if (lower.charCodeAt(start - 1) === AT) while (at < lower.length && isHandleCode(lower.charCodeAt(at))) at += 1
    if (startsLink(lower, start, at)) while (at < lower.length && lower.charCodeAt(at) > 32) at += 1
    words.starts.push(start)
    words.ends.push(at)
  }
  return words
}

/** Letters and digits: ASCII, and the alphabets up to Georgian. */
export function isWordCode(code: number): boolean {
  if (code < 128) return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || (code >= 65 && code <= 90)
  return code >= 0xc0 && code < 0x1100 && code !== 0xd7 && code !== 0xf7
}

const AT = 64
/** Handles may have underscores, dots and hyphens inside. */
const isHandleCode = (code: number): boolean => isWordCode(code) || code === 95 || code === 46 || code === 45

/** `https://…` and `www.…` up to the next space. */
const startsLink = (lower: string, start: number, end: number): boolean =>
  (lower.startsWith('://', end) && (end - start === 4 || end - start === 5) && lower.startsWith('http', start)) ||
  (end - start === 3 && lower.startsWith('www.', start))

/** Lower case of the same length: letters whose lower case is longer stay. */
export function lowerCase(text: string): string {
  const lower = text.toLowerCase()
  if (lower.length === text.length) return lower
  return Array.from(text, (letter) =>
    letter.toLowerCase().length === letter.length ? letter.toLowerCase() : letter,
  ).join('')
}
