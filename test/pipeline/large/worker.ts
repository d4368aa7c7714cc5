// A process of its own that reads or reparses one large unit, so that its memory can be measured and a test can kill it.
import { createHttp } from '#activities/http/http.ts'
import { pullAll } from '#activities/ingest/pull.ts'
import { reparse } from '#activities/ingest/reparse.ts'
import { openLake } from '#lake/lake.ts'
import { machineTimers } from '#time.ts'

import { largeHost, largeSource, largeUnit } from './large_source.ts'

const [home, url, memory, at] = process.argv.slice(2)
if (home === undefined || url === undefined || memory === undefined || at === undefined)
  throw new Error('usage: worker <home> <url>|reparse <memory> <at>')

const lake = await openLake(home, { threads: 1, memory })
const hosts = { [largeHost.name]: { ...largeHost, url } }
const http = createHttp({ hosts, random: () => 0.5, ...machineTimers })
try {
  const tools = { lake, http, keepRaw: true, concurrency: 1 }
  const { rows, failures } =
    url === 'reparse' ? await reparsed() : await pullAll(tools, () => largeSource, [largeUnit], Number(at))
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage()
  const cpu_s = (userCPUTime + systemCPUTime) / 1e6
  process.stdout.write(JSON.stringify({ rows, failures, peak_mb: Math.round(maxRSS / 1024), cpu_s: Math.round(cpu_s) }))
} finally {
  await lake.close()
}

async function reparsed() {
  const { rows, failed } = await reparse(lake, largeSource, () => undefined)
  return { rows, failures: failed }
}
