import type { Caller } from './keys.ts'
import { mayUse, partsOfPages, type EndpointName } from './tiers.ts'

const readable: readonly EndpointName[] = [
  'GET /feed',
  'GET /signal-evidence',
  'GET /signals',
  'GET /coverage',
  'GET /markets',
  'GET /pm-markets',
  'GET /pm-traders',
  'GET /trader-ranks',
  'GET /discover',
  'GET /wallet-ranks',
  'GET /market-outcomes',
  'GET /market-hours',
  'GET /asset-days',
  ...partsOfPages,
]

/**
 * The endpoints and the limit of visitors: people who read the pages without an account. They see signals as the tier
 * `free` does, and read published snapshots alone. `requests` is for one minute and one network address.
 */
export const visitors = { tier: 'free', requests: 240, endpoints: readable } as const

const prefix = 'visitor '

/** The session in the page token of a visitor. */
export const visitorSession = 'visitor'

/** The visitors of a network. The keyring finds a visitor before it knows the network. */
export const visitorOf = (network: string): Caller => ({
  account_id: `${prefix}${network}`,
  tier: visitors.tier,
  key_id: null,
})

export const isVisitor = ({ account_id }: Pick<Caller, 'account_id'>): boolean => account_id.startsWith(prefix)

/** The name under which a caller takes turns at the marts. All visitors together have the turns of one account. */
export const turnOf = (caller: Caller): string => (isVisitor(caller) ? 'visitors' : caller.account_id)

/** Whether a caller may call an endpoint. */
export const mayCall = (caller: Caller, endpoint: EndpointName): boolean =>
  isVisitor(caller) ? visitors.endpoints.includes(endpoint) : mayUse(caller.tier, endpoint)
