// A process of its own that reads or reparses one large unit, so that its memory can be measured and a test can kill it.
import { createHttp } from '#activities/http/http.ts'
import { pullAll } from '#activities/ingest/pull.ts'
import { reparse } from '#activities/ingest/reparse.ts'
import { dataHost } from '#activities/markets/polymarket/hosts.ts'
import { polymarketTrades } from '#activities/markets/polymarket/polymarket_trades.ts'
import { openLake } from '#lake/lake.ts'
import { machineTimers } from '#time.ts'

import { largeMarket } from './large_market.ts'
import { largeHost, largeSource, largeUnit } from './large_source.ts'

const [home, url, memory, at, name] = process.argv.slice(2)
if (home === undefined || url === undefined || memory === undefined || at === undefined || name === undefined)
  throw new Error('usage: worker <home> <url>|reparse <memory> <at> <source>')

const isMarket = name === polymarketTrades.name
const source = isMarket ? polymarketTrades : largeSource
const host = { ...(isMarket ? dataHost : largeHost), url, requestsPer10s: 1e6 }

const lake = await openLake(home, { threads: 1, memory })
const http = createHttp({ hosts: { [host.name]: host }, random: () => 0.5, ...machineTimers })
try {
  const tools = { lake, http, keepRaw: true, concurrency: 1 }
  const { rows, failures } =
    url === 'reparse'
      ? await reparsed()
      : await pullAll(tools, () => source, [isMarket ? largeMarket : largeUnit], Number(at))
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
