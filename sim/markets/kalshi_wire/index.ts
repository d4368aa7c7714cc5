import type { SimulatedVenue } from '#sim/markets/venue.ts'

import { damages } from './damage.ts'
import { createHosts, hostUrls } from './hosts.ts'

/** The venue never names the time after which a refused request may be repeated. */
export const kalshi: SimulatedVenue = {
  urls: hostUrls,
  create: (world, { dataApi, spoil }) => createHosts(world, dataApi === 'v2' ? 'dollars' : 'cents', spoil),
  damages,
  limits: [{ host: 'kalshi', route: /^/, perTenSeconds: 200 }],
  refusal: { status: 429, body: '{"error":"too many requests"}' },
}
