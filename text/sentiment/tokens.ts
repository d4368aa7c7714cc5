import { FNV_OFFSET, FNV_PRIME, hashOf } from './hash.ts'
import { assetNames } from './tone_words.ts'

/** The tokens of a text by their hashes, and the letters of words. */
export type Tokens = {
  n: number
  hashes: Int32Array
  /** Token n is `codes[starts[n]]` to `codes[starts[n + 1]]`. Placeholders, signs and emoji have no letters. */
  starts: Int32Array
  codes: Uint16Array
  signs: Signs
}

/** The counts of signs in a text that its words do not show. */
export type Signs = {
  cashtags: number
  links: number
  users: number
  numbers: number
  shouted: number
  hashtags: number
  questions: number
  exclamations: number
}

/** The rest of a longer text is not read. */
export const MAX_TOKENS = 400
export const MAX_LETTERS = 4_000

const placeholders = {
  cashtag: hashOf('cashtag'),
  link: hashOf('linktag'),
  user: hashOf('usertag'),
  number: hashOf('numbertag'),
  rise: hashOf('risetag'),
  fall: hashOf('falltag'),
  share: hashOf('sharetag'),
}

/**
 * Makes a tokenizer, which returns the same buffers each time. Addresses, handles, cashtags, numbers and names of
 * assets become placeholders; `+3%` and `-3%` are a rise and a fall. Words are in lower case, with letters at most
 * twice in a row, without apostrophes. Each emoji is a token.
 */
export function createTokenizer(): (text: string) => Tokens {
  const tokens: Tokens = {
    n: 0,
    hashes: new Int32Array(MAX_TOKENS + 1),
    starts: new Int32Array(MAX_TOKENS + 2),
    codes: new Uint16Array(MAX_LETTERS),
    signs: noSigns(),
  }
  return (text) => {
    tokens.n = 0
    tokens.signs = noSigns()
    const plain = text.includes('&') ? withoutEntities(text) : text
    for (let at = 0; at < plain.length && tokens.n < MAX_TOKENS;) at = readToken(tokens, plain, at)
    return tokens
  }
}

const noSigns = (): Signs => ({
  cashtags: 0,
  links: 0,
  users: 0,
  numbers: 0,
  shouted: 0,
  hashtags: 0,
  questions: 0,
  exclamations: 0,
})

const entities = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['#39', "'"],
  ['apos', "'"],
  ['nbsp', ' '],
])
const withoutEntities = (text: string): string =>
  text.replaceAll(/&(amp|lt|gt|quot|#39|apos|nbsp);/g, (whole, name: string) => entities.get(name) ?? whole)

const isDigit = (code: number): boolean => code >= 48 && code <= 57
const isLetter = (code: number): boolean =>
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90) ||
  (code >= 0xc0 && code < 0x2000 && code !== 0xd7 && code !== 0xf7)

/** Reads the token that begins at `at`. Returns its end. */
function readToken(tokens: Tokens, text: string, at: number): number {
  const code = text.charCodeAt(at)
  if (isLetter(code)) return readWord(tokens, text, at)
  if (isDigit(code)) return readNumber(tokens, text, at)
  if (code === 36 && isLetter(text.charCodeAt(at + 1))) {
    tokens.signs.cashtags += 1
    return readHandle(tokens, text, at, placeholders.cashtag)
  }
  if (code === 64 && isLetter(text.charCodeAt(at + 1))) {
    tokens.signs.users += 1
    return readHandle(tokens, text, at, placeholders.user)
  }
  return readSign(tokens, text, at)
}

/** Adds a token without letters, unless it is the last one again. */
function add(tokens: Tokens, hash: number): void {
  if (tokens.n > 0 && tokens.hashes[tokens.n - 1] === hash) return
  tokens.hashes[tokens.n] = hash
  tokens.starts[tokens.n + 1] = tokens.starts[tokens.n] ?? 0
  tokens.n += 1
}

function readSign(tokens: Tokens, text: string, at: number): number {
  const { signs } = tokens
  const point = text.codePointAt(at) ?? 0
  if (point === 35) signs.hashtags += 1
  else if (point === 33) signs.exclamations += 1
  else if (point === 63) signs.questions += 1
  // Joiners, variants and tones of skin say nothing.
  const isEmoji = point >= 0x2190 && point !== 0xfe0f && (point < 0x1f3fb || point > 0x1f3ff)
  if (isEmoji || point === 33 || point === 63) add(tokens, hashOf(String.fromCodePoint(point)))
  return point > 0xffff ? at + 2 : at + 1
}

/** A cashtag with its suffix, or a handle. */
function readHandle(tokens: Tokens, text: string, start: number, placeholder: number): number {
  let at = start + 1
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const isInside = code === 95 || (code === 46 && isLetter(text.charCodeAt(at + 1)))
    if (!isInside && !isLetter(code) && !isDigit(code)) break
  }
  add(tokens, placeholder)
  return at
}

function readNumber(tokens: Tokens, text: string, start: number): number {
  let at = start
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (!isDigit(code) && code !== 46 && code !== 44) break
  }
  tokens.signs.numbers += 1
  const isPercent = text.charCodeAt(at) === 37
  const sign = text.charAt(start - 1)
  const change = sign === '+' ? placeholders.rise : sign === '-' ? placeholders.fall : placeholders.share
  add(tokens, isPercent ? change : placeholders.number)
  return isPercent ? at + 1 : at
}

function readWord(tokens: Tokens, text: string, start: number): number {
  if (text.startsWith('http', start) || text.startsWith('www.', start)) {
    const end = /^(https?:\/\/|www\.)\S+/.exec(text.slice(start))?.[0].length
    if (end !== undefined) {
      tokens.signs.links += 1
      add(tokens, placeholders.link)
      return start + end
    }
  }
  const { codes } = tokens
  const from = tokens.starts[tokens.n] ?? 0
  let [at, to, hash, isShouted] = [start, from, FNV_OFFSET, true]
  for (; at < text.length && to < MAX_LETTERS; at++) {
    const code = text.charCodeAt(at)
    if ((code === 39 || code === 0x2019) && isLetter(text.charCodeAt(at + 1))) continue
    if (!isLetter(code) && !isDigit(code)) break
    const lower = lowerOf(code)
    if (lower === code) isShouted = false
    if (to - from >= 2 && codes[to - 1] === lower && codes[to - 2] === lower) continue
    codes[to] = lower
    to += 1
    hash = Math.imul(hash ^ lower, FNV_PRIME)
  }
  if (isShouted && at - start > 2) tokens.signs.shouted += 1
  if (assetNames.has(hash)) add(tokens, placeholders.cashtag)
  else addWord(tokens, hash, to)
  return Math.max(at, start + 1)
}

function addWord(tokens: Tokens, hash: number, end: number): void {
  tokens.hashes[tokens.n] = hash
  tokens.n += 1
  tokens.starts[tokens.n] = end
}

function lowerOf(code: number): number {
  if (code < 128) return code >= 65 && code <= 90 ? code + 32 : code
  return String.fromCharCode(code).toLowerCase().charCodeAt(0)
}
