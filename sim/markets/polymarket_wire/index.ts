import type { SimulatedVenue } from '#sim/markets/venue.ts'

import { damages } from './damage.ts'
import { createHosts, hostUrls } from './hosts.ts'
import { createClobChannel } from './push/clob_channel.ts'
import { createRtds } from './push/rtds.ts'

export const polymarket: SimulatedVenue = {
  urls: hostUrls,
  feeds: (world) => ({ rtds: createRtds(world), clob_push: createClobChannel(world) }),
  create: (world, { dataApi, spoil }) => createHosts(world, dataApi, spoil),
  damages,
  limits: [
    { host: 'gamma', route: /^\/markets/, perTenSeconds: 300 },
    { host: 'gamma', route: /^\/events/, perTenSeconds: 500 },
    { host: 'gamma', route: /^/, perTenSeconds: 4000 },
    { host: 'data', route: /^\/v2\/trades/, perTenSeconds: 300 },
    { host: 'data', route: /^\/v2\/activity/, perTenSeconds: 200 },
    { host: 'data', route: /^\/v2\//, perTenSeconds: 800 },
    { host: 'data', route: /^\/trades/, perTenSeconds: 200 },
    { host: 'data', route: /^/, perTenSeconds: 1000 },
    { host: 'clob', route: /^/, perTenSeconds: 9000 },
  ],
}
