import { readAssets, readMarkets } from './figures.ts'

/** An entity that a search finds, and its page. */
export type Found = { href: string; name: string; kind: string }

const most = 6

/** Finds addresses by their form, assets by the begin of their symbols, and markets by the words of their questions. */
export async function findEntities(text: string): Promise<Found[]> {
  if (text === '') return []
  if (isAddress(text))
    return [
      { href: `trader?address=${text}`, name: text, kind: 'trader' },
      { href: `wallet?address=${text}`, name: text, kind: 'wallet' },
    ]
  const [assets, markets] = await Promise.all([
    /^[a-z0-9._-]{1,20}$/i.test(text) ? readAssets({ range: '7d', limit: '1000' }) : null,
    readMarkets({ words: text, status: 'all', limit: String(most) }),
  ])
  const symbols = (assets?.body ?? []).filter(({ symbol }) => symbol.startsWith(text.toUpperCase())).slice(0, 3)
  return [
    ...symbols.map(({ symbol }) => ({ href: `asset?symbol=${symbol}`, name: symbol, kind: 'asset' })),
    ...markets.body.map(({ id, question, platform }) => ({
      href: `market?id=${encodeURIComponent(id)}`,
      name: question,
      kind: platform,
    })),
  ]
}

/** The forms of an EVM address and of one of Solana. The API checks more of them. */
const isAddress = (text: string): boolean =>
  /^0x[0-9a-f]{40}$/i.test(text) || /^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text)
