import type { World } from '#sim/markets/types.ts'
import { createIndexes } from '#sim/markets/wire/indexes.ts'
import type { Spoil } from '#sim/server/faults.ts'
import type { Ask, Instant, Reply } from '#sim/server/reply.ts'

import { createClob } from './clob.ts'
import { createData } from './data.ts'
import { createDataV1 } from './data_v1.ts'
import { createGamma } from './gamma.ts'

/** The paths of the venue's hosts, by the names that the sources use. */
export const hostUrls = (url: string) => ({
  polymarket_gamma: `${url}/gamma`,
  polymarket_data: `${url}/data`,
  polymarket_clob: `${url}/clob`,
  polymarket_rtds: `${url.replace('http', 'ws')}/rtds`,
  polymarket_clob_push: `${url.replace('http', 'ws')}/clob_push`,
})

/** The venue's three hosts over one world: `gamma`, `data`, `clob`. */
export function createHosts(
  world: World,
  dataApi: 'v2' | 'v1',
  spoil: Spoil,
): Record<string, (ask: Ask, at: Instant) => Reply> {
  const indexes = createIndexes(world)
  return {
    gamma: createGamma(world, indexes, spoil),
    data: dataApi === 'v2' ? createData(world, indexes, spoil) : createDataV1(world, indexes, spoil),
    clob: createClob(world, indexes),
  }
}
