// A process of its own that reads or reparses one large unit, so that its memory can be measured and a test can kill it.
import { createHttp } from '#activities/http/http.ts'
import { pullAll } from '#activities/ingest/pull.ts'
import { reparse } from '#activities/ingest/reparse.ts'
import { kalshiHost } from '#activities/markets/kalshi/hosts.ts'
import { kalshiMarkets } from '#activities/markets/kalshi/kalshi_markets.ts'
import { dataHost, gammaHost } from '#activities/markets/polymarket/hosts.ts'
import { polymarketMarkets } from '#activities/markets/polymarket/polymarket_markets.ts'
import { polymarketTrades } from '#activities/markets/polymarket/polymarket_trades.ts'
import { openLake } from '#lake/lake.ts'
import { machineTimers } from '#time.ts'

import { largeGamma } from './large_gamma.ts'
import { largeList } from './large_list.ts'
import { largeMarket } from './large_market.ts'
import { largeHost, largeSource, largeUnit } from './large_source.ts'
import { readAt } from './read_large.ts'

const [home, url, memory, at, name] = process.argv.slice(2)
if (home === undefined || url === undefined || memory === undefined || at === undefined || name === undefined)
  throw new Error('usage: worker <home> <url>|reparse <memory> <at> <source>')

const readings = [
  { source: largeSource, unit: largeUnit, host: largeHost },
  { source: polymarketTrades, unit: largeMarket, host: dataHost },
  { source: kalshiMarkets, unit: largeList(Number(at), Number(at) === readAt), host: kalshiHost },
  { source: polymarketMarkets, unit: largeGamma(Number(at)), host: gammaHost },
]
const reading = readings.find((one) => one.source.name === name)
if (reading === undefined) throw new Error(`worker: unknown source ${name}; expected one of the large units`)
const { source, unit } = reading
const host = { ...reading.host, url, requestsPer10s: 1e6 }

const lake = await openLake(home, { threads: 1, memory })
const http = createHttp({ hosts: { [host.name]: host }, random: () => 0.5, ...machineTimers })
try {
  const tools = { lake, http, keepRaw: true, concurrency: 1 }
  const { rows, failures } =
    url === 'reparse' ? await reparsed() : await pullAll(tools, () => source, [unit], Number(at))
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage()
  const cpu_s = (userCPUTime + systemCPUTime) / 1e6
  process.stdout.write(JSON.stringify({ rows, failures, peak_mb: Math.round(maxRSS / 1024), cpu_s: Math.round(cpu_s) }))
} finally {
  await lake.close()
}

async function reparsed() {
  const { rows, failed } = await reparse(lake, source, () => undefined)
  return { rows, failures: failed }
}
