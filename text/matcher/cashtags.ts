import { mentionOf, type Reading } from './reading.ts'
import { mostlyStocks, plainStocks, sharedWithStocks } from './stocks.ts'

/** A letter follows a dollar sign that no word precedes. Prices such as `$5k` begin with a digit. */
export const isCashtag = (lower: string, start: number): boolean =>
  lower.charCodeAt(start - 1) === 36 && /[a-z]/.test(lower.charAt(start)) && !/[a-z0-9$]/.test(lower.charAt(start - 2))

/** Reads the cashtag whose symbol is `[start, end)`. Returns the number of words that it takes. */
export function readCashtag(reading: Reading, start: number, end: number): number {
  const { lower, index } = reading
  const name = reading.text.slice(start, end)
  if (plainStocks.has(name.toUpperCase())) {
    reading.hasStock = true
    return 1
  }
  const isMarked = lower.startsWith('.x', end) && !/[a-z0-9]/.test(lower.charAt(end + 2))
  if (isMarked) [reading.isCrypto, reading.hasStock] = [true, true]
  const symbol = lower.slice(start, end)
  const asset = index.bySymbol.get(index.bySymbol.has(symbol) ? symbol : withoutQuote(symbol))
  if (asset !== undefined && (isMarked || end - start > 1)) {
    const mention = mentionOf(index, asset, 2, start - 1, isMarked ? end + 2 : end)
    reading.cashtags.push({ mention, symbol: name, isMarked, isTracked: index.assets[asset]?.is_tracked === true })
  }
  return isMarked ? 2 : 1
}

/** The base of a pair, such as `btc` of `btcusd`. */
const withoutQuote = (symbol: string): string => symbol.replace(/(usdt?|usdc|perp)$/, '')

/**
 * Adds the cashtags that are crypto assets. One that is a stock too counts unless the text follows the usage of stocks;
 * if it is mostly a stock, or is written in lower case as a variable is, the text must be about crypto. So must it be
 * for assets that are not tracked, since their symbols are those of many stocks.
 */
export function settleCashtags(reading: Reading): void {
  const { mentions, cashtags } = reading
  for (const cashtag of cashtags) if (isSurelyCrypto(cashtag)) mentions.push(cashtag.mention)
  const isCrypto = reading.isCrypto || mentions.length > 0
  for (const cashtag of cashtags) {
    const { mention, symbol, isTracked } = cashtag
    if (isSurelyCrypto(cashtag) || reading.hasStock) continue
    const isUncertain = !isTracked || mostlyStocks.has(symbol.toUpperCase()) || symbol === symbol.toLowerCase()
    if (isCrypto || !isUncertain) mentions.push(mention)
  }
}

const isSurelyCrypto = ({ symbol, isMarked, isTracked }: Reading['cashtags'][number]): boolean =>
  isMarked || (isTracked && !sharedWithStocks.has(symbol.toUpperCase()))
