import type { SimulatedVenue } from '#sim/markets/venue.ts'

import { damages } from './damage.ts'
import { createHosts, hostUrls } from './hosts.ts'
import { createLifecycle } from './lifecycle.ts'

export const limitless: SimulatedVenue = {
  urls: hostUrls,
  feeds: (world) => ({ limitless_push: createLifecycle(world) }),
  create: (world, { spoil }) => createHosts(world, spoil),
  damages,
  limits: [],
}
