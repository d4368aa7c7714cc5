import { ingestUnits } from '#ingest/batch.ts'
// A process of its own that reads or reparses one large unit, so that its memory can be measured and a test can kill
// it.
import { createHttp } from '#ingest/http/http.ts'
import { reparse } from '#ingest/reparse.ts'
import { openLake } from '#lake/lake.ts'
import { machineTimers } from '#time.ts'

import { readAt } from './read_large.ts'

const [home, url, memory, at, name] = process.argv.slice(2)
if (home === undefined || url === undefined || memory === undefined || at === undefined || name === undefined)
  throw new Error('usage: worker <home> <url>|reparse <memory> <at> <source>')

/** Each source is loaded alone: the modules of all take megabytes of a small heap. */
async function readingOf() {
  if (name === 'large_fills') {
    const { largeHost, largeSource, largeUnit } = await import('./large_source.ts')
    return { source: largeSource, unit: largeUnit, host: largeHost }
  }
  if (name === 'kalshi_markets') {
    const { kalshiHost } = await import('#sources/markets/kalshi/hosts.ts')
    const { kalshiMarkets } = await import('#sources/markets/kalshi/kalshi_markets.ts')
    const { largeList } = await import('./large_list.ts')
    return { source: kalshiMarkets, unit: largeList(Number(at), Number(at) === readAt), host: kalshiHost }
  }
  if (name === 'kalshi_archive') {
    const { kalshiHost } = await import('#sources/markets/kalshi/hosts.ts')
    const { kalshiArchive } = await import('#sources/markets/kalshi/kalshi_archive.ts')
    const { largeArchive } = await import('./large_list.ts')
    return { source: kalshiArchive, unit: largeArchive, host: kalshiHost }
  }
  if (name === 'limitless_activity') {
    const { limitlessHost } = await import('#sources/markets/limitless/hosts.ts')
    const { limitlessActivity } = await import('#sources/markets/limitless/limitless_activity.ts')
    const { largeAccount } = await import('./large_account.ts')
    return { source: limitlessActivity, unit: largeAccount, host: limitlessHost }
  }
  const { dataHost, gammaHost } = await import('#sources/markets/polymarket/hosts.ts')
  if (name === 'polymarket_trades') {
    const { polymarketTrades } = await import('#sources/markets/polymarket/polymarket_trades.ts')
    const { largeMarket } = await import('./large_market.ts')
    return { source: polymarketTrades, unit: largeMarket, host: dataHost }
  }
  if (name !== 'polymarket_markets') throw new Error(`worker: unknown source ${name}; expected one of the large units`)
  const { polymarketMarkets } = await import('#sources/markets/polymarket/polymarket_markets.ts')
  const { largeGamma } = await import('./large_gamma.ts')
  return { source: polymarketMarkets, unit: largeGamma(Number(at)), host: gammaHost }
}

const reading = await readingOf()
const { source, unit } = reading
const host = { ...reading.host, url, requestsPer10s: 1e6 }

const lake = await openLake(home, { threads: 1, memory })
const http = createHttp({ hosts: { [host.name]: host }, random: () => 0.5, ...machineTimers })
try {
  const tools = { lake, http, keepRaw: true, concurrency: 1 }
  const { rows, failures } =
    url === 'reparse' ? await reparsed() : await ingestUnits(tools, () => source, [unit], Number(at))
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage()
  const cpu_s = (userCPUTime + systemCPUTime) / 1e6
  process.stdout.write(
    JSON.stringify({ rows, failures, peak_mb: Math.round(maxRSS * 0.001024), cpu_s: Math.round(cpu_s) }),
  )
} finally {
  await lake.close()
}

async function reparsed() {
  const { rows, failed } = await reparse(lake, source, () => undefined)
  return { rows, failures: failed }
}
