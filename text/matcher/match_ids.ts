import type { Index } from './index_assets.ts'

/** The shortest contract or mint. */
const TOKEN_LENGTH = 32

/** Whether the word `[start, end)` is an address of the web, or may be a contract or mint. */
export const isId = (lower: string, start: number, end: number): boolean =>
  end - start >= TOKEN_LENGTH || isLink(lower.slice(start, end))

const isLink = (word: string): boolean => word.length > 8 && /^(https?:\/\/|www\.)/i.test(word)

/** The asset that a contract, a mint or an address of the web names; undefined if no asset has it. */
export const matchId = (index: Index, word: string): number | undefined =>
  isLink(word) ? matchLink(index, word) : matchToken(index, word)

/** A contract (`0x` and 40 digits, in any case) or mint (base 58). */
function matchToken(index: Index, word: string): number | undefined {
  if (/^0x[0-9a-f]{40}$/i.test(word)) return index.byToken.get(word.toLowerCase())
  return index.byToken.get(word)
}

/** A page of CoinGecko or CoinMarketCap, or of an explorer with its token. */
function matchLink(index: Index, link: string): number | undefined {
  const page = /(?:coingecko\.com\/(?:[a-z-]+\/)?coins|coinmarketcap\.com\/currencies)\/([a-z0-9-]+)/i.exec(link)?.[1]
  if (page !== undefined) return index.bySlug.get(page.toLowerCase())
  const tokens = link.split(/[^0-9A-Za-z]+/).filter((word) => word.length >= TOKEN_LENGTH)
  return tokens.map((word) => matchToken(index, word)).find((asset) => asset !== undefined)
}
