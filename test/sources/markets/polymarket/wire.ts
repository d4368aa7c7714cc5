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
  const to = from + Math.min(size, Number(query.get('limit') ?? size))
  const next_cursor = to < rows.length ? String(to) : null
  return {
    data: rows.slice(from, to),
    pagination: { limit: size, offset: 0, has_more: next_cursor !== null, next_cursor },
  }
}

/** A row of `/activity`. */
export const ledgerBody = (type: string, more: Body = {}): Body => ({
  ...tradeBody(),
  ...(type === 'TRADE' ? {} : { side: '', token_id: '', price: 0, size: 5 }),
  usdc_size: 5,
  type,
  ...more,
})

export const clobMarketBody = (n: number, more: Body = {}): Body => ({
  condition_id: condition(n),
  question_id: hex(n),
  question: `Will it happen ${n}?`,
  market_slug: `will-it-${n}`,
  active: true,
  closed: false,
  accepting_orders: true,
  end_date_iso: '2026-12-31T00:00:00Z',
  game_start_time: null,
  neg_risk: false,
  neg_risk_market_id: '',
  is_50_50_outcome: false,
  maker_base_fee: 0,
  taker_base_fee: 0,
  tokens: [
    { token_id: token(2 * n), outcome: 'Yes', price: 0.4, winner: false },
    { token_id: token(2 * n + 1), outcome: 'No', price: 0.6, winner: false },
  ],
  tags: ['Sports', 'NBA'],
  ...more,
})

/** A closed market of the CLOB with these winners. */
export const wonClobMarket = (n: number, [yes, no]: [boolean, boolean], more: Body = {}): Body =>
  clobMarketBody(n, {
    closed: true,
    accepting_orders: false,
    tokens: [
      { token_id: token(2 * n), outcome: 'Yes', winner: yes },
      { token_id: token(2 * n + 1), outcome: 'No', winner: no },
    ],
    ...more,
  })

export const resolutionBody = (n: number, more: Body = {}): Body => ({
  condition_id: condition(n),
  status: 'resolved',
  payouts: [1_000_000, 0],
  resolved_at: '2026-11-20T12:30:00Z',
  transaction_hash: '',
  ...more,
})
