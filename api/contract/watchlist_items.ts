import { z } from 'zod'

import { venues } from '#registry/venues/index.ts'
import { marketIdPattern, parseMarketId } from '#registry/venues/market_id.ts'

import { addressForm, addressPattern, parseAddress } from './address.ts'

/** An item as it is served. A wallet also has its address as the marts store it. */
type Item = { shown: string; address?: string }

/** The accepted form of an item of each type, for errors and documentation. */
export const itemForms = {
  wallets: addressForm,
  assets: 'an asset symbol of 1 to 20 letters, digits, `.`, `_` and `-`, such as BTC',
  markets: `a market id \`<platform>:<native id>\`: ${listOf(venues.map(({ id, market }) => `${id} with ${market.about}`))}; native ids in any case`,
} as const

/** `a, b, or c`. */
function listOf(parts: readonly string[]): string {
  const [last = '', ...others] = parts.toReversed()
  return others.length === 0 ? last : `${others.toReversed().join(', ')}, or ${last}`
}

/** The id of a market in examples. */
export const marketExample = `${venues[0].id}:${venues[0].market.example}`

export type ItemType = keyof typeof itemForms

/** Null if the text has not the form of the type. Equal items are shown equally. */
export const parseItem = (type: ItemType, text: string): Item | null => parsers[type](text)

/** The items in their order, each once, and the wallets among them as the marts store them. */
export function uniqueItems(type: ItemType, texts: readonly string[]): { items: string[]; addresses: string[] } {
  const parsed = texts.map((text) => parseItem(type, text)).filter((item) => item !== null)
  return {
    items: [...new Set(parsed.map(({ shown }) => shown))],
    addresses: [...new Set(parsed.flatMap(({ address }) => address ?? []))],
  }
}

/** The characters that `trim` removes: blanks, tabs and line breaks. */
const blanks = '\\u0020\\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000\\ufeff'
const breaks = '\\u0009-\\u000d\\u2028\\u2029'
/** Marks, embeddings, overrides and isolates of direction: they make a name look like another one. */
const directions = '\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069'
const controls = `\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029${directions}`

const notBlank = new RegExp(`[^${blanks}${breaks}]`)
/** One line of text with something to read. */
export const lineOfText = new RegExp(`^[^${controls}]*[^${blanks}${controls}][^${controls}]*$`)

/**
 * A text with something to read, trimmed. JSON Schema counts characters, not UTF-16 units, and has no half characters,
 * which no database stores.
 */
export const textOf = (most: number, form: string, pattern = notBlank) =>
  z
    .string(form)
    .regex(pattern, form)
    .refine((text) => [...text].length <= most && !/\p{Cs}/u.test(text), form)
    .trim()
    .meta({ minLength: 1, maxLength: most })

const nameForm = '1 to 100 characters of text, without control characters or controls of direction'

/** A name of an account's own object. */
export const displayName = textOf(100, nameForm, lineOfText).meta({
  description: `The display name: ${nameForm}, not only blanks. Spaces at its ends are removed`,
})

/** The accepted form of an item of each type, as a pattern that is not anchored. */
export const itemPatterns = {
  wallets: `(${addressPattern})`,
  assets: '[A-Za-z0-9][A-Za-z0-9._-]{0,19}',
  markets: marketIdPattern,
} as const

const asset = new RegExp(`^${itemPatterns.assets}$`)

const parsers: Record<ItemType, (text: string) => Item | null> = {
  wallets: (text) => {
    const parsed = parseAddress(text)
    return parsed && { shown: parsed.shown, address: parsed.key }
  },
  assets: (text) => (asset.test(text) ? { shown: text.toUpperCase() } : null),
  markets: (text) => {
    const shown = parseMarketId(text)
    return shown === null ? null : { shown }
  },
}
