import { isAddress } from 'viem'

import type { ChainFacts } from '#registry/chains/facts.ts'

import type { Row } from './claims.ts'
import { opWrapped } from './list_readers.ts'
import type { PublicList } from './public_lists.ts'
import { unpegged } from './unpegged.ts'

/** What viem says of a chain. */
export type ChainEntry = {
  id: number
  symbol: string
  isOpStack: boolean
  explorer: string | null
}

type Wrapped = NonNullable<ChainFacts['wrapped']>
type Dollar = NonNullable<ChainFacts['dollars']>[number]

/** Symbols of tokens that are redeemed at a dollar, or bridged forms of them, by preference. */
const dollars: readonly (readonly string[])[] = [
  ['usdc', 'usdc.e', 'usdce', 'usdbc', 'axlusdc', 'm.usdc'],
  ['usdt', 'usdt0', 'usd₮0', 'usd₮', 'usdt.e', 'axlusdt', 'm.usdt'],
  ['dai', 'wxdai', 'm.dai', 'usds', 'pyusd', 'fdusd', 'usdp', 'rlusd', 'usdg', 'ausd'],
]
/** Former symbols of native coins, which their wrapped coins may keep. */
const formerSymbols: Readonly<Record<string, readonly string[]>> = {
  POL: ['MATIC'],
  KAIA: ['KLAY'],
  A: ['EOS'],
  XDAI: ['xDai'],
}

/**
 * The facts of each chain on which public lists agree:
 *
 * - The wrapped coin is the address that most lists name, two at least, and more than any other address. A list names
 *   it in its table of wrapped coins, or as a token whose symbol is W and the symbol of the coin; one table is needed.
 *   Its symbol must be W and the symbol of the native coin, so that the wrapped coin of another chain is refused. The
 *   predeployed coin of the OP stack needs one list: its address is part of the stack. viem names it for chains with
 *   the contracts of that stack, and Hyperlane for chains that run it.
 * - A dollar is a token that two lists at least name with a symbol of a dollar, that has not lost its peg, and that is
 *   not the native coin. Its decimals are those that most lists name.
 * - The explorer is that of viem if another list has the same host, else the host that most lists name, two at least.
 */
export const chainFacts = (chains: readonly ChainEntry[], lists: readonly PublicList[]): ChainFacts[] =>
  chains.flatMap((chain) => {
    const own = lists.map((list) => ofChain(list, chain.id))
    const wrapped = wrappedCoin(chain, own)
    const tokens = dollarTokens(chain, own).filter(({ address }) => address !== wrapped?.address)
    const explorer = agreedExplorer(chain, own)
    if (wrapped === undefined && tokens.length === 0 && explorer === undefined) return []
    return [
      {
        id: chain.id,
        ...(wrapped === undefined ? {} : { wrapped }),
        ...(tokens.length === 0 ? {} : { dollars: tokens }),
        ...(explorer === undefined ? {} : { explorer }),
      },
    ]
  })

/** What a list says of one chain, with addresses in lower case. Zero addresses and what is no address are left out. */
function ofChain({ name, wrapped, tokens, dollars: plain, explorers }: PublicList, id: number) {
  const rows = (all: readonly Row[]): Row[] =>
    all.flatMap((row) => {
      const address = row.address.toLowerCase()
      return row.chain_id === id && isAddress(address) && !/^0x0{36}/.test(address) ? [{ ...row, address }] : []
    })
  const urls = explorers.flatMap(({ chain_id, url }) => (chain_id === id ? [url] : []))
  return { name, wrapped: rows(wrapped), tokens: rows(tokens), plain: rows(plain), urls }
}
type OwnList = ReturnType<typeof ofChain>

function wrappedCoin({ symbol, isOpStack }: ChainEntry, lists: readonly OwnList[]): Wrapped | undefined {
  const symbols = new Set([symbol, ...(formerSymbols[symbol] ?? [])].map((native) => `w${native}`.toLowerCase()))
  const isCoin = (row: Row): boolean => symbols.has((row.symbol ?? '').toLowerCase())
  const votes = new Map<string, Set<string>>()
  const vote = (name: string, address: string): unknown =>
    votes.set(address, (votes.get(address) ?? new Set()).add(name))
  for (const { name, wrapped, tokens } of lists)
    for (const { address } of [...wrapped, ...tokens.filter(isCoin)]) vote(name, address)
  if (isOpStack) vote('viem', opWrapped)
  // The genesis of the stack names its predeployed coin.
  if (votes.has(opWrapped)) vote('op-stack', opWrapped)
  const [best, next] = [...votes].toSorted(([, a], [, b]) => b.size - a.size)
  if (best === undefined || best[1].size < 2 || best[1].size === next?.[1].size) return undefined
  const [address, names] = best
  const claims = lists.flatMap(({ wrapped, tokens }) =>
    [...wrapped, ...tokens].filter((row) => row.address === address),
  )
  const isInTable = lists.some(({ wrapped }) => wrapped.some((row) => row.address === address))
  const isPredeployed = address === opWrapped && symbol === 'ETH'
  if (!isInTable || !(isPredeployed || claims.some(isCoin))) return undefined
  return { address, lists: [...names].toSorted() }
}

function dollarTokens({ id, symbol: native }: ChainEntry, lists: readonly OwnList[]): Dollar[] {
  const all = lists.flatMap(({ name, tokens, plain }) => [
    ...tokens.map((row) => ({ ...row, name, isNamed: isDollar(row.symbol) })),
    ...plain.map((row) => ({ ...row, name, isNamed: true })),
  ])
  const addresses = [...new Set(all.filter(({ isNamed }) => isNamed).map(({ address }) => address))]
  return addresses
    .flatMap((address): Dollar[] => {
      const claims = all.filter((row) => row.address === address)
      const names = [...new Set(claims.filter(({ isNamed }) => isNamed).map(({ name }) => name))].toSorted()
      const decimals = mostNamed(claims.flatMap((row) => row.decimals ?? []))
      const [symbol] = claims.flatMap((row) => (isDollar(row.symbol) ? (row.symbol ?? []) : []))
      if (names.length < 2 || decimals === undefined || symbol === undefined) return []
      // The native coin itself, or a contract that shows it as a token.
      if (symbol.toLowerCase() === native.toLowerCase()) return []
      if (unpegged.some((token) => token.id === id && token.address === address)) return []
      return [{ symbol, address, decimals, lists: names }]
    })
    .toSorted((a, b) => b.lists.length - a.lists.length || rank(a) - rank(b) || (a.address < b.address ? -1 : 1))
}

/** The number that occurs most; undefined if another occurs as often. */
function mostNamed(values: readonly number[]): number | undefined {
  const counts = [...new Set(values)].map((value) => ({ value, n: values.filter((other) => other === value).length }))
  const [best, next] = counts.toSorted((a, b) => b.n - a.n)
  return best?.n === next?.n ? undefined : best?.value
}

const isDollar = (symbol = ''): boolean => dollars.some((group) => group.includes(symbol.toLowerCase()))
const rank = ({ symbol }: Dollar): number => dollars.findIndex((group) => group.includes(symbol.toLowerCase()))

function agreedExplorer({ explorer }: ChainEntry, lists: readonly OwnList[]): ChainFacts['explorer'] {
  const votes = new Map<string, Set<string>>()
  const vote = (name: string, url: string): void => {
    const origin = originOf(url)
    if (origin !== undefined) votes.set(origin, (votes.get(origin) ?? new Set()).add(name))
  }
  if (explorer !== null) vote('viem', explorer)
  for (const { name, urls } of lists) for (const url of urls) vote(name, url)
  const ranked = [...votes].toSorted(
    ([a, x], [b, y]) => Number(y.has('viem')) - Number(x.has('viem')) || y.size - x.size || (a < b ? -1 : 1),
  )
  const best = ranked.find(([, names]) => names.size >= 2)
  return best === undefined ? undefined : { url: best[0], lists: [...best[1]].toSorted() }
}

/** Explorers are compared by their hosts; some share one host between chains by a path, which is no explorer of one. */
function originOf(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined
  const { protocol, host } = new URL(url)
  return protocol === 'https:' ? `https://${host.replace(/^www\./, '')}` : undefined
}
