import { z } from 'zod'

import { addressForm, parseAddress } from './address.ts'

/** An item as it is served. A wallet also has its address as the marts store it. */
type Item = { shown: string; address?: string }

/** The accepted form of an item of each type, for errors and documentation. */
export const itemForms = {
  wallets: addressForm,
  assets: 'an asset symbol of 1 to 20 letters, digits, `.`, `_` and `-`, such as BTC',
  markets:
    'a market id `<platform>:<native id>`: polymarket with a condition id (0x and 64 hex digits, 62 of Protocol V2), ' +
    'kalshi with a ticker, or limitless with a slug',
} as const

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

const nameForm = '1 to 100 characters of text, without control characters'

/** No database stores NUL or half a character, and a line of text has no line break. */
const isText = (name: string): boolean => !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(name)

/** A name of an account's own object. */
export const displayName = z
  .string(nameForm)
  .trim()
  .refine((name) => name !== '' && [...name].length <= 100 && isText(name), nameForm)
  .meta({ description: `The display name: ${nameForm}. Spaces at its ends are removed` })

const nativeIds: Record<string, { form: RegExp; show: (id: string) => string }> = {
  polymarket: { form: /^0x(?:[0-9a-fA-F]{64}|[0-9a-fA-F]{62})$/, show: (id) => id.toLowerCase() },
  kalshi: { form: /^[A-Za-z0-9][A-Za-z0-9_.+-]{0,199}$/, show: (id) => id.toUpperCase() },
  limitless: { form: /^[A-Za-z0-9][A-Za-z0-9._-]{0,250}$/, show: (id) => id.toLowerCase() },
}

const parseMarket = (text: string): Item | null => {
  const colon = text.indexOf(':')
  const platform = text.slice(0, Math.max(colon, 0))
  const native = Object.hasOwn(nativeIds, platform) ? nativeIds[platform] : undefined
  const id = text.slice(colon + 1)
  return native?.form.test(id) ? { shown: `${platform}:${native.show(id)}` } : null
}

const parsers: Record<ItemType, (text: string) => Item | null> = {
  wallets: (text) => {
    const parsed = parseAddress(text)
    return parsed && { shown: parsed.shown, address: parsed.key }
  },
  assets: (text) => (/^[A-Za-z0-9][A-Za-z0-9._-]{0,19}$/.test(text) ? { shown: text.toUpperCase() } : null),
  markets: parseMarket,
}
