/** Hand-made rows in the shape of the venue's wire; a test names what matters to it. */

/** A 0x number of `digits` hexadecimal digits. */
export const hex = (n: number, digits = 64): string => `0x${n.toString(16).padStart(digits, '0')}`
export const condition = (n: number): string => hex(0xc000 + n)
export const wallet = (n: number): string => hex(0xa000 + n, 40)
export const token = (n: number): string => `${7_000_000 + n}`

type Body = Record<string, unknown>

export const gammaMarketBody = (n: number, more: Body = {}): Body => ({
  id: `${n}`,
  question: `Will it happen ${n}?`,
  conditionId: condition(n),
  slug: `will-it-${n}`,
  outcomes: '["Yes", "No"]',
  outcomePrices: '["0.4", "0.6"]',
  clobTokenIds: `["${token(2 * n)}", "${token(2 * n + 1)}"]`,
  active: true,
  closed: false,
  acceptingOrders: true,
  createdAt: '2026-01-02T03:04:05.678901Z',
  endDate: '2026-12-31T00:00:00Z',
  bestBid: 0.39,
  bestAsk: 0.41,
  lastTradePrice: 0.4,
  volume24hr: 12.5,
  feesEnabled: false,
  events: [{ id: '77', slug: 'the-event' }],
  ...more,
})

export const tradeBody = (more: Body = {}): Body => ({
  proxy_wallet: wallet(1),
  side: 'BUY',
  token_id: token(1),
  condition_id: condition(1),
  size: 10,
  price: 0.5,
  timestamp: 1_790_000_000,
  outcome_index: 999,
  transaction_hash: hex(1),
  ...more,
})

const V1_NAMES: Record<string, string> = {
  proxy_wallet: 'proxyWallet',
  token_id: 'asset',
  condition_id: 'conditionId',
  usdc_size: 'usdcSize',
  transaction_hash: 'transactionHash',
  outcome_index: 'outcomeIndex',
}

/** The same row as v1 wrote it. */
export const inV1 = (body: Body): Body =>
  Object.fromEntries(Object.entries(body).map(([name, value]) => [V1_NAMES[name] ?? name, value]))

/** Cuts rows into v2 pages, whose cursor is the next offset. */
export const v2Page = (rows: readonly unknown[], query: URLSearchParams, size = 1000) => {
  const from = Number(query.get('cursor') ?? '0')
  const to = from + size
  const next_cursor = to < rows.length ? String(to) : null
  return {
    data: rows.slice(from, to),
    pagination: { limit: size, offset: 0, has_more: next_cursor !== null, next_cursor },
  }
}
