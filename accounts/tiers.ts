/** The endpoints of the free tier. */
const free = [
  'GET /feed',
  'GET /signal-evidence',
  'GET /signals',
  'GET /coverage',
  'GET /markets',
  'GET /pm-markets',
  'GET /asset-days',
  'GET /market-outcomes',
  'GET /market-hours',
  'GET /watchlists',
  'POST /watchlists',
  'DELETE /watchlists',
  'GET /account',
] as const

/** The parts of the pages of traders, wallets and markets. */
export const partsOfPages = [
  'GET /trader-profile',
  'GET /trader-days',
  'GET /trader-traits',
  'GET /trader-categories',
  'GET /trader-positions',
  'GET /trader-markets',
  'GET /trader-fills',
  'GET /wallet-profiles',
  'GET /wallet-days',
  'GET /wallet-traits',
  'GET /wallet-tokens',
  'GET /wallet-holdings',
  'GET /wallet-trades',
  'GET /market-holders',
  'GET /market-fills',
] as const

const all = [
  ...free,
  'GET /pm-traders',
  'GET /trader-ranks',
  'GET /discover',
  'GET /wallet-ranks',
  'GET /wallet',
  'GET /pm-wallet',
  ...partsOfPages,
  'POST /chat',
  'GET /alerts',
  'POST /alerts',
  'DELETE /alerts',
] as const

/** The endpoints and limits of each tier. Rates are for one minute; `streams` are open at once. */
export const tiers = {
  free: { requests: 60, streams: 5, chats: 0, endpoints: free, alerts: 0, watchlists: 5 },
  pro: { requests: 600, streams: 50, chats: 20, endpoints: all, alerts: 50, watchlists: 50 },
  enterprise: { requests: 6_000, streams: 500, chats: 200, endpoints: all, alerts: 1_000, watchlists: 1_000 },
} as const

export type Tier = keyof typeof tiers

/** A method and a path below `/v1`: `GET /feed`. */
export type EndpointName = (typeof all)[number]

export const tierNames = Object.keys(tiers) as Tier[]

/** The tiers whose signals a tier sees whole: itself and those below it. */
export const tiersUpTo = (tier: Tier): Tier[] => tierNames.slice(0, tierNames.indexOf(tier) + 1)

export const mayUse = (tier: Tier, endpoint: EndpointName): boolean =>
  (tiers[tier].endpoints as readonly EndpointName[]).includes(endpoint)
