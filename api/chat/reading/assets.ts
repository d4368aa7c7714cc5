import { oneOf } from './phrases/phrases.ts'
import { nearestOf } from './words.ts'

/** A tracked asset: its symbol in upper case, and its name. */
export type Asset = { symbol: string; name: string }

/** A text whose assets are replaced by `<asset>`, with their symbols in order, each once. */
export type FoundAssets = { symbols: string[]; masked: string; unknown: string | null }

/** Symbols that are also words. They count in upper case, after a dollar sign, or where only an asset can stand. */
const everyday = new Set(
  `one near link op ton ape sand mask flow rose core safe super prime turbo dash mana atom sun cake gala comp snap pump move grass
  render blur magic people moon beam cat dog not hot waves ray portal storm key data fun ace win id gas base ar sei stx
  theta mina io at it as an go so us me g s w a for in is on or trump melania rune axs band ocean zero lit joe gmt t`.split(
    /\s+/,
  ),
)

/** Upper-case words that are no assets. */
const acronyms = new Set(
  'USD US USA UTC CLV PNL ROI PM YES NO NBA NFL FED GDP CPI API KYC TVL OK AI EV LOL PLS PLZ ASAP FYI TLDR WTF BTW AND OR VS THE EVM CEO SQL JSON ID EPS Q A I'.split(
    ' ',
  ),
)

const leads = oneOf(
  'of, for, on, about, around, regarding, compare, vs, versus, against, than, does, has, is, how is, hows, and, or, with, to',
)
const follows =
  oneOf(`mindshare, sentiment, attention, rank, ranking, momentum, buzz, hype, narrative, vs, versus, and, or, compared, against
  doing, looking, trending, moving, this, over, in the, stand, \\d+ ?[dw], today, last, past, right now, now, lately, these days, to day, sorted, by
  bearish, bullish, neutral, up, down, gaining, losing, rising, falling, climbing, dropping, pumping, dumping, hot, so, getting, being, popular, talked
  mentioned, hyped, spiking`)

/** Finds the assets of a question by cashtag, symbol or name. `text` has its own case of letters. */
export function findAssets(text: string, assets: readonly Asset[]): FoundAssets {
  const isShouted = (text.match(/[A-Z]/g) ?? []).length > 2 * (text.match(/[a-z]/g) ?? []).length
  const bySymbol = new Map(assets.map((asset) => [asset.symbol, asset]))
  const byName = new Map(assets.map((asset) => [asset.name.toLowerCase(), asset]))
  const symbols: string[] = []
  const unknown: string[] = []
  const take = (asset: Asset | undefined, otherwise: string): string => {
    if (!asset) return otherwise
    symbols.push(asset.symbol)
    return `<asset:${asset.symbol}>`
  }
  const names = [...byName.keys()].filter((name) => /\W/.test(name)).sort((a, b) => b.length - a.length)
  const named = names.reduce((rest, name) => replaceName(rest, name, () => take(byName.get(name), name)), text)
  const singles = [...byName.keys()].filter((name) => !/\W/.test(name) && name.length >= 5)
  const masked = named.replaceAll(/\$?[A-Za-z][A-Za-z0-9]*|<[^>]*>/g, (word, at: number) => {
    if (word.startsWith('<')) return word
    const symbol = word.replace('$', '').toUpperCase()
    const lower = symbol.toLowerCase()
    const asset = bySymbol.get(symbol)
    if (word.startsWith('$')) {
      if (!asset) unknown.push(symbol)
      // A symbol without a tracked asset is no word either: `$WAGMI`.
      return take(asset, '<unknown>')
    }
    const isUpper = word === symbol && !isShouted && word.length > 1
    if (asset && (isUpper || !everyday.has(lower) || standsForAsset(named, word, at))) return take(asset, word)
    const ofName = byName.get(lower) ?? byName.get(nearestOf(lower, lower.length >= 5 ? singles : []) ?? '')
    if (ofName && !everyday.has(lower)) return take(ofName, word)
    if (isUpper && /^[A-Z]{2,10}$/.test(word) && !acronyms.has(word)) unknown.push(symbol)
    return word
  })
  return {
    symbols: [...new Set(symbols)],
    masked: masked.replaceAll(/<asset:\w+>/g, '<asset>'),
    unknown: unknown[0] ?? null,
  }
}

const replaceName = (text: string, name: string, by: () => string): string => {
  // Not in a text in lower case, in which letters such as `İ` are longer.
  const at = text.search(new RegExp(String.raw`\b${name.replaceAll(/\W/g, String.raw`\W`)}\b`, 'i'))
  return at === -1 ? text : `${text.slice(0, at)}${by()}${text.slice(at + name.length)}`
}

/** Whether a word in lower case stands where an asset does: `sentiment on link`, `near vs op`. */
function standsForAsset(text: string, word: string, at: number): boolean {
  const before = text.slice(0, at).toLowerCase()
  const after = text.slice(at + word.length).toLowerCase()
  const isLed = new RegExp(`(?:^|\\b${leads} |[,:;(] ?|> )$`).test(before)
  return isLed && new RegExp(`^(?:\\s*$|\\s*[?.!,:;)/-]|'s\\b| ${follows}\\b)`).test(after)
}
