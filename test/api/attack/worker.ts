import { z } from 'zod'

import { defineList } from '#api/contract/define.ts'
import { plantedEndpoints } from '#test/api/planted.ts'
import { startService } from '#test/api/service.ts'

/**
 * A service in a process of its own, with limits that a short test reaches: `worker.ts <JSON of the options>`. Its
 * first message has the port and the keys. It answers each later message with its memory in bytes, the processor's
 * time that it took, and its open connections.
 */
const options = JSON.parse(process.argv[2] ?? '{}') as { isSlow?: boolean; timeouts?: object }

const traders = Array.from({ length: 200 }, (_, i) => ({ wallet: `0x${String(i).padStart(40, '0')}` }))
/** A list whose pages take some 20 ms of the processor each, so that few callers overload the service. */
const slowList = defineList({
  path: '/pm-markets',
  summary: 'A planted list that is slow',
  doc: 'Numbers.',
  reads: ['pulse'],
  query: {},
  item: z.strictObject({ id: z.string().meta({ description: 'The id' }) }).meta({ id: 'PlantedNumber' }),
  example: { id: '1' },
  rows: () => ({
    sql: `select max(hash(n * 7))::varchar as id, n % 1500 as k from range(2000000) as numbers(n) group by n % 1500`,
    params: {},
    order: [{ column: 'k', type: 'BIGINT' }],
  }),
})

const service = await startService({
  rows: {
    markets: Array.from({ length: 50 }, (_, i) => ({ id: `polymarket:${i}`, volume: String(i) })),
    closed: [{ id: 'polymarket:closed' }],
    traders,
    wallets: traders.map(({ wallet }) => ({ address: wallet, markets_traded: 2 })),
    momentum: [{ symbol: 'BTC' }, { symbol: 'ETH' }],
  },
  // A caller of a fast machine must not reach the limit of its tier.
  rateFactor: 10_000,
  ...(options.isSlow === true ? { endpoints: [slowList, ...plantedEndpoints()], cache_bytes: 1 } : {}),
  timeouts: options.timeouts ?? {},
})

process.on('message', () => {
  const { user, system } = process.cpuUsage()
  const n_connections = process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length
  process.send?.({ rss: process.memoryUsage().rss, cpu_ms: (user + system) / 1_000, n_connections })
})
process.on('disconnect', () => process.exit(0))
process.send?.({ port: service.port, keys: service.keys })
