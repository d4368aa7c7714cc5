import { parseAddress, type Address } from '#api/contract/address.ts'
import { parseItem } from '#api/contract/watchlist_items.ts'
import { venues } from '#registry/venues/index.ts'

/** A longer list of entities is cut off, as the slots are. */
export const mostEntities = 10

/** A shortened or mistyped address, or a name for one; 64 digits are an id of another kind. */
const resemblesAddress = [
  /^0x(?![\da-f]{64}$)[\w.…]+$/i,
  /^(?=\w*[\dA-Z])\w{3,12}(?:…|\.{2,})(?=\w*[\dA-Z])\w{2,12}$/,
  /^[\w-]+\.(?:eth|sol|lens|x)$/i,
]

/** The ids of a question, and its text with them replaced. */
type Ids = {
  addresses: Address[]
  unknownAddress: string | null
  signals: string[]
  marketIds: string[]
  masked: string
}

/** Finds addresses, ids of markets and ids of signals, and replaces them. */
export function findIds(text: string): Ids {
  const ids: Ids = { addresses: [], unknownAddress: null, signals: [], marketIds: [], masked: '' }
  const masked = text.replaceAll(/[\w:.…-]{4,}/g, (word) => {
    const bare = word.replace(/[.:…-]+$/, '')
    const address = parseAddress(bare)
    if (address) ids.addresses.push(address)
    const market = address ? null : parseItem('markets', marketForm(bare))
    if (market) ids.marketIds.push(market.shown)
    const isSignal = !address && !market && /^sig_[\w-]{1,64}$/.test(bare)
    if (isSignal) ids.signals.push(bare)
    const name = address ? 'address' : market ? 'market' : isSignal ? 'signal' : null
    const isUnknown = name === null && resemblesAddress.some((pattern) => pattern.test(bare))
    if (isUnknown) ids.unknownAddress ??= bare
    if (isUnknown) return `<unknown>${word.slice(bare.length)}`
    return name === null ? word : `<${name}>${word.slice(bare.length)}`
  })
  const once = ids.addresses.filter(({ key }, i, all) => all.findIndex((other) => other.key === key) === i)
  return {
    addresses: once.slice(0, mostEntities),
    unknownAddress: ids.unknownAddress,
    signals: ids.signals,
    marketIds: [...new Set(ids.marketIds)].slice(0, mostEntities),
    masked,
  }
}

/** An id of a market with its venue in lower case. A native id whose form names its venue, such as a ticker, gets it. */
const marketForm = (word: string): string => {
  const venue = venues.find(({ market }) => market.bare?.test(word))
  return venue === undefined ? word.replace(/^[A-Za-z]+(?=:)/, (name) => name.toLowerCase()) : `${venue.id}:${word}`
}
