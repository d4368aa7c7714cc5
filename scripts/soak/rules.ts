import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'

import { alertRules, firing } from '#test/examples/operations/rules.ts'
import { parseMetrics, type Scrape } from '#test/examples/operations/scrape.ts'

const every_s = 15
/** The longest time that a rule looks back. */
const kept_s = 1_800

/**
 * `npm run soak -- rules [--minutes N]`: scrapes a demo every 15 seconds for an hour. No rule of
 * `examples/operations/alerts.yml` may fire.
 */
export async function rules(args: readonly string[]): Promise<void> {
  const { minutes } = parseArgs({ args: [...args], options: { minutes: { type: 'string', default: '60' } } }).values
  if (!(Number(minutes) > 0)) throw new Error(`--minutes ${minutes}: no number of minutes; expected a number above 0`)
  const home = await mkdtemp(join(tmpdir(), 'tapeline-rules-'))
  const demo = spawn(process.execPath, ['bin/tapeline.js', 'demo', '--port', '0'], {
    env: { ...process.env, TAPELINE_HOME: home },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(demo, 'exit')
  try {
    const url = await urlOf(demo.stdout)
    const { n_scrapes, fired } = await watch(url, Number(minutes))
    console.log(JSON.stringify({ minutes: Number(minutes), n_scrapes, fired: [...fired] }))
    if (fired.size > 0) throw new Error(`alerts: ${[...fired].join(', ')} fired; expected none`)
  } finally {
    demo.kill('SIGTERM')
    await ended
    await rm(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 })
  }
}

/** The address of a demo, once it is ready. */
async function urlOf(output: AsyncIterable<Buffer>): Promise<string> {
  let text = ''
  for await (const chunk of output) {
    text += chunk.toString()
    const url = /^ready (\S+)/m.exec(text)?.[1]
    if (url !== undefined) return url
  }
  throw new Error(`demo: it ended before it was ready: ${text}`)
}

async function watch(url: string, minutes: number): Promise<{ n_scrapes: number; fired: Set<string> }> {
  const all = await alertRules()
  const fired = new Set<string>()
  let scrapes: Scrape[] = []
  const n_scrapes = Math.ceil((minutes * 60) / every_s)
  for (let n = 0; n < n_scrapes; n += 1) {
    await sleep(every_s * 1_000)
    const at_s = Date.now() / 1_000
    const samples = parseMetrics(await (await fetch(`${url}/metrics`)).text())
    const up = { labels: { __name__: 'up', job: 'tapeline' }, value: 1 }
    scrapes = [...scrapes.filter((scrape) => scrape.at_s > at_s - kept_s), { at_s, samples: [...samples, up] }]
    for (const alert of firing(all, scrapes)) {
      if (!fired.has(alert)) console.log(`${alert} fires after ${((n * every_s) / 60).toFixed(1)} minutes`)
      fired.add(alert)
    }
  }
  return { n_scrapes, fired }
}
