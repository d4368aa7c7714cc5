import type { Upstream } from '#test/sources/markets/polymarket/fake.ts'

/** Hand-made rows in the shape of the venue's wire; a test names what matters to it. */

type Body = Record<string, unknown>

/** A 0x number of `digits` hexadecimal digits. */
export const hex = (n: number, digits = 64): string => `0x${n.toString(16).padStart(digits, '0')}`
export const wallet = (n: number): string => hex(0xa000 + n, 40)
export const slug = (n: number): string => `will-it-happen-${n}`
export const token = (n: number): string => `${9_000_000 + n}`

export const marketBody = (n: number, more: Body = {}): Body => ({
  id: n,
  slug: slug(n),
  title: `Will it happen ${n}?`,
  conditionId: hex(0xc000 + n),
  tokens: { yes: token(2 * n), no: token(2 * n + 1) },
  prices: [0.4, 0.6],
  tradePrices: {
    buy: { market: [0.41, 0.61], limit: [0.39, 0.59] },
    sell: { market: [0.39, 0.59], limit: [0.41, 0.61] },
  },
  volume: '12500000',
  volumeFormatted: '12.500000',
  status: 'FUNDED',
  expired: false,
  expirationDate: 'Dec 31, 2026',
  expirationTimestamp: Date.UTC(2026, 11, 31),
  winningOutcomeIndex: null,
  marketType: 'single',
  tradeType: 'clob',
  collateralToken: { address: hex(1, 40), decimals: 6, symbol: 'USDC' },
  createdAt: '2026-11-01T03:04:05.678Z',
  updatedAt: '2026-11-20T11:00:00.000Z',
  startAt: null,
  categories: ['Crypto'],
  tags: ['Recurring', 'Hourly'],
  ...more,
})

export const groupBody = (n: number, markets: Body[], more: Body = {}): Body => ({
  id: 500 + n,
  slug: `the-group-${n}`,
  title: 'The winner',
  marketType: 'group',
  negRiskMarketId: hex(0xd000 + n),
  categories: ['Politics'],
  tags: [],
  markets,
  ...more,
})

export const eventBody = (more: Body = {}): Body => ({
  createdAt: '2026-11-19T10:00:00.000Z',
  txHash: hex(1),
  side: 0,
  price: 0.53,
  matchedSize: '10000000',
  makerAmount: '5300000',
  takerAmount: '10000000',
  tokenId: token(2),
  title: 'Will it happen 1?',
  profile: { id: 1, account: wallet(1), smartWallet: null, displayName: 'one' },
  ...more,
})

/** A trade with the automated maker. */
export const tradeBody = (more: Body = {}, data: Body = {}): Body => ({
  createdAt: '2026-11-19T10:00:00.000Z',
  id: 7,
  eventType: 'NEW_TRADE',
  data: {
    symbol: 'USDC',
    txHash: hex(1),
    address: hex(0xb, 40),
    outcome: 'YES',
    strategy: 'Buy',
    contracts: '12.5',
    tradeAmount: '5',
    tradeAmountUSD: '5.000001',
    ...data,
  },
  user: { name: 'one', account: wallet(1) },
  ...more,
})

export const historyBody = (more: Body = {}): Body => ({
  blockTimestamp: 1_790_000_000,
  collateralAmount: '25.5',
  outcomeTokenAmount: '50',
  outcomeTokenAmounts: ['50', '0'],
  outcomeIndex: 0,
  outcomeTokenPrice: 0.51,
  strategy: 'Limit Buy',
  operation: 'trade',
  tradeEventId: 'a1',
  orderId: 'o1',
  makerMatchId: null,
  transactionHash: hex(1),
  market: {
    id: 1,
    slug: slug(1),
    title: 'Will it happen 1?',
    closed: false,
    collateral: { symbol: 'USDC', decimals: 6 },
  },
  ...more,
})

type World = {
  active?: Body[]
  /** The list of slugs, which the venue lacks by default. */
  slugs?: unknown
  markets?: Body[]
  events?: Record<string, Body[]>
  feeds?: Record<string, Body[]>
  histories?: Record<string, Body[]>
}

const pageOf = (rows: readonly Body[], query: URLSearchParams, most: number): Body[] => {
  const limit = Math.min(most, Number(query.get('limit') ?? 10))
  const page = Number(query.get('page') ?? 1)
  return rows.slice((page - 1) * limit, page * limit)
}

/** The venue over some rows: pages of 25 markets, a 404 for what it does not know. */
export const venue =
  ({ active = [], slugs, markets = active, events = {}, feeds = {}, histories = {} }: World): Upstream =>
  (path, query) => {
    const [, folder, name = '', list] = path.split('/')
    if (path === '/markets/active') {
      return { body: { data: pageOf(active, query, 25), totalMarketsCount: active.length } }
    }
    if (path === '/markets/active/slugs') return slugs === undefined ? { status: 404 } : { body: slugs }
    if (folder === 'portfolio') {
      const rows = histories[name]
      if (rows === undefined) return { status: 404 }
      const from = Number(query.get('cursor') ?? 0)
      const limit = Number(query.get('limit'))
      return {
        body: {
          data: rows.slice(from, from + limit),
          nextCursor: from + limit < rows.length ? `${from + limit}` : null,
        },
      }
    }
    const market = markets.find((body) => body['slug'] === name)
    if (market === undefined) return { status: 404 }
    if (list === undefined) return { body: market }
    if (list === 'get-feed-events') return { body: pageOf(feeds[name] ?? [], query, 10) }
    const rows = events[name] ?? []
    const limit = Number(query.get('limit'))
    if (limit > 100) return { status: 400 }
    return { body: { events: pageOf(rows, query, 100), totalPages: Math.ceil(rows.length / limit) } }
  }
