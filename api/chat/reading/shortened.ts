/** The first and the last characters of an address; one of them may be empty. */
export type AddressEnds = { head: string; tail: string }

/** Finds the known addresses with certain ends, at most two of them. */
export type FindAddresses = (ends: AddressEnds) => Promise<string[]>

const owner = String.raw`\b(wallet|address|trader|account|bettor|whale|holder|gambler|one|guy)s?`
const start = String.raw`(?:that |which )?(?:start|begin)(?:s|ning|ing)?(?: with| in)? `
const end = String.raw`(?:that |which )?(?:end|finish)(?:s|ing|es)?(?: with| in| on)? `
const part = String.raw`["']?(\w{2,12})["']?(?!\w)`

/** `the wallet starting with 0xa1 and ending in b2c3`: the ends in words. */
const inWords: readonly (readonly [RegExp, (owner: string, piece: string, other: string) => string])[] = [
  [new RegExp(`${owner} ${start}${part}(?: and|,)? ${end}${part}`, 'gi'), (noun, a, b) => `${noun} ${a}…${b}`],
  [
    new RegExp(`${owner} ${end}${part}(?: and| or| vs|,)(?: the (?:one|other) ${end})? ${part}`, 'gi'),
    (noun, piece, other) => `${noun} 0x…${piece} and 0x…${other}`,
  ],
  [new RegExp(`${owner} ${end}${part}`, 'gi'), (noun, piece) => `${noun} 0x…${piece}`],
  [new RegExp(`${owner} ${start}${part}`, 'gi'), (noun, piece) => `${noun} ${piece}…`],
]

/** `0xa1b2…c3d4`, `0xa1b2...`, `0xa1b2c3`, `EPjF...Dt1v`. */
const shortForm =
  /(?<![\w.…])(?:(0[xX][\da-fA-F]{0,39})(?:(?:\.{2,}|…)(\w*))?|((?=\w*[\dA-Z])\w{3,12})(?:\.{2,}|…)((?=\w*[\dA-Z])\w{2,12}))(?![\w:])/g

/** Masks of the feed show four characters and two, so no mask of a hidden subject is enough to find it. */
const isEnough = ({ head, tail }: AddressEnds): boolean => head.length >= 6 || tail.length >= 4

/** Digits of an address: `b2c3` and `Dt1v`, but not `the` and `90`. */
const isPart = (word: string): boolean =>
  (/^(?:0x)?[\da-f]+$/i.test(word) && !/^\d{1,3}$/.test(word)) ||
  (/[\dA-Z]/.test(word) && /^[1-9A-HJ-NP-Za-km-z]+$/.test(word))

/** A question with its shortened addresses written out, where exactly one known address has these ends. */
export async function withWholeAddresses(text: string, find: FindAddresses): Promise<string> {
  const marked = inWords.reduce(
    (rest, [pattern, short]) =>
      rest.replaceAll(pattern, (whole: string, noun: string, piece: string, more: unknown) => {
        const other = typeof more === 'string' ? more : ''
        return isPart(piece) && (other === '' || isPart(other)) ? short(noun, piece, other) : whole
      }),
    text,
  )
  const parts: string[] = []
  let at = 0
  for (const match of marked.matchAll(shortForm)) {
    const [whole, hexHead, hexTail, head, tail] = match
    const ends = { head: (hexHead ?? head ?? '').replace(/^0x$/i, ''), tail: hexTail ?? tail ?? '' }
    const [only, ...others] = isEnough(ends) ? await find(ends) : []
    parts.push(marked.slice(at, match.index), only !== undefined && others.length === 0 ? only : whole)
    at = match.index + whole.length
  }
  return parts.join('') + marked.slice(at)
}
