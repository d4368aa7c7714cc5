import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

import { secretOf } from '#accounts/accounts.ts'
import { defineCommand } from '#bin/command_line/command.ts'
import { numberOf, portOf } from '#bin/command_line/values.ts'
import { checkEndpoints } from '#bin/demo/check_endpoints.ts'
import { signUpDemo } from '#bin/demo/demo_account.ts'
import { createDemoAlerts } from '#bin/demo/demo_alerts.ts'
import { lockDemo } from '#bin/demo/demo_lock.ts'
import { runFirstCycle } from '#bin/demo/first_cycle.ts'
import { firstScreen } from '#bin/demo/first_screen.ts'
import { demoPosts, storePastPosts } from '#bin/demo/past_posts.ts'
import { reportMoves } from '#bin/demo/price_moves.ts'
import type { PublisherSettings } from '#bin/demo/publisher.ts'
import { noteDemo } from '#bin/demo/running_demos.ts'
import { startTelegram } from '#bin/demo/telegram.ts'
import type { Upstream } from '#bin/demo/upstream.ts'
import { startDemoWorld } from '#bin/demo/world.ts'
import { count, standardError } from '#bin/report/progress.ts'
import { exposeSources, keepWatching } from '#bin/report/source_metrics.ts'
import { endWith, openWorkingEngine, takeSignals } from '#bin/wiring/engine.ts'
import { startFollowing, stopFollowing, type Pace } from '#bin/wiring/follow_plan.ts'
import { openPipeline } from '#bin/wiring/pipeline.ts'
import { startPublishing, stopPublishing } from '#bin/wiring/publish_plan.ts'
import { logErrors, openService, requestedAccounts, type Service } from '#bin/wiring/service.ts'
import { simulatedConfig } from '#bin/wiring/simulated_config.ts'
import { worldSettings } from '#bin/wiring/simulated_hosts.ts'
import { untilStopped } from '#bin/wiring/stopped.ts'
import { supervise } from '#bin/wiring/supervise.ts'
import type { Config } from '#config.ts'
import type { Engine, Run } from '#engine/engine.ts'
import { forgetFollows } from '#lake/catalog/follows.ts'
import { authorIds } from '#sources/social/author_ids.ts'
import { machineClock } from '#time.ts'

import { demoHome, keyCommand } from './key.ts'
import { isPortTaken, listenOn } from './serve.ts'

/** Seconds of the simulated world in one second of the machine. */
const speed = 60
/** Intervals are shorter than those of a real follow, since the simulated time is faster. */
const pace: Pace = { maintain_ms: 20_000, requested_ms: 2_000 }
const scores_ms = 20_000
/** Replaced snapshots are kept for so long. */
const keepSnapshots_ms = 20 * 60_000
type Say = (text: string) => void
const seedOf = numberOf('--seed', { least: 0, most: 2 ** 31 - 1 })

/** `tapeline demo`: the whole pipeline on a simulated world, from an empty home each time. */
export const demo = defineCommand({
  summary: 'Run everything on a simulated world: ingest, score and serve.',
  define: (command) =>
    command
      .option('--port <n>', 'Listen on this port; 0 takes any free one.', portOf)
      .option('--seed <n>', 'The seed of the world; 1 by default.', seedOf)
      .option('--once', 'Exit after one cycle.'),
  run: async ({ port, seed = 1, once: isOnce = false }, config) => {
    const home = demoHome(config.home)
    const unlock = await lockDemo(home)
    await rm(home, { recursive: true, force: true })

    const say: Say = (text) => void process.stderr.write(`${text}\n`)
    const telegram = await startTelegram(say, seed)
    const demoWorld = await startDemoWorld({ seed, speed }).catch(async (error: unknown) => {
      await telegram.close()
      throw error
    })
    const { upstream, chains } = demoWorld
    const { clock } = upstream
    say(`a simulated world, seed ${seed}: ${count(upstream.n_markets)} markets, ${count(upstream.n_traders)} traders`)
    const listen = listenOn(port, config)
    // The catalog of the demo is in its own home.
    const ofItsOwn = { home, database: undefined, temporal: queueOfItsOwn(config), messengers: [telegram.messenger] }
    const demoConfig: Config = { ...simulatedConfig(config, upstream, chains.settings), ...ofItsOwn, listen }
    await takeSignals(demoConfig)
    const stop = new AbortController()
    const close: (() => Promise<unknown>)[] = [demoWorld.close, telegram.close, unlock]
    try {
      // The port is bound first: a conflict fails before the minute of ingestion.
      const service = await openAnywhere(demoConfig, port !== undefined)
      close.unshift(service.close)
      close.unshift(await noteDemo({ home: resolve(home), url: service.url }))
      const world = { clock, speed, signal: stop.signal, keepSnapshots_ms, keepLakeSnapshots_ms: 60_000 }
      const open = (options: object) =>
        openPipeline(demoConfig, { ...options, ...world, requests: requestedAccounts(service.accounts) })
      const { pipeline, engine } = await openWorkingEngine(demoConfig, open, { onError: logErrors(service.log) })
      close.unshift(endWith(stop, engine), () => forgetFollows(pipeline.lake.catalog), pipeline.close)
      const hash = authorIds((await secretOf(service.accounts, 'authors')).toString('base64url'))
      const posts = await storePastPosts(pipeline.lake, demoPosts(seed, upstream.now), { to: upstream.now, hash })
      say(`  posts       ${count(posts)} of two months`)
      await runFirstCycle(pipeline, engine, { upstream, chains, say, signal: stop.signal })
      const person = await signUpDemo(service)
      const { email, password, key } = person
      await checkEndpoints(service, key)
      process.stdout.write(`\n${await firstScreen(service, key)}\nready ${service.url} key ${key}\n`)
      if (isOnce) return 0
      say(`request   curl -H "Authorization: Bearer ${key}" "${service.url}/v1/feed"`)
      say(`docs      ${service.url}/docs`)
      say(`SQL       duckdb -readonly ${join(home, 'tapeline.duckdb')}`)
      say(`sign-in   ${service.url}, ${email}, password ${password}; further keys: ${keyCommand()}`)
      say(`alerts    ${await createDemoAlerts(service, person, telegram)}, sent to ${telegram.page}`)
      demoWorld.run()
      const runs = await startFollowing(engine, 0, pace, demoConfig.sources)
      if (demoConfig.temporal === undefined) close.unshift(publishApart(demoConfig, upstream))
      else {
        runs.push(...(await startPublishing(engine, scores_ms)))
        close.unshift(() => endOnServer(engine, runs))
      }
      const metrics = keepWatching({ ...pipeline, clock }, { show: exposeSources(service.registry), log: service.log })
      close.unshift(metrics, reportMoves(service.marts, standardError))
      await untilStopped()
      return 0
    } finally {
      for (const end of close) await end()
    }
  },
})

/** On a server the demo has its own task queue, since other workers read another world. */
const queueOfItsOwn = ({ temporal }: Config): Config['temporal'] =>
  temporal && { ...temporal, taskQueue: `${temporal.taskQueue}-demo-${randomUUID().slice(0, 8)}` }

/** Ends the endless runs on a server. Their world and the only worker of their queue end with this process. */
async function endOnServer(engine: Engine, runs: readonly Run<never>[]): Promise<void> {
  await stopFollowing(engine)
  await stopPublishing(engine)
  await Promise.allSettled(runs.map((run) => run.result()))
}

/**
 * Publishes in a process of its own, as `tapeline publish` does, so that builds delay no answer. Returns the function
 * that ends it.
 */
function publishApart({ home, threads, memory }: Config, { clock, ...world }: Upstream): () => Promise<void> {
  const limits = { TAPELINE_THREADS: String(threads), TAPELINE_MEMORY: memory }
  const environment = { ...worldSettings(world), ...limits, TAPELINE_HOME: home }
  const settings: PublisherSettings = { environment, at: clock(), machineAt: machineClock(), speed, keepSnapshots_ms }
  const args = [fileURLToPath(new URL('../demo/publisher_process.js', import.meta.url)), JSON.stringify(settings)]
  const stop = new AbortController()
  const stopped = once(stop.signal, 'abort')
  const ended = supervise(
    [{ name: 'publish', args }],
    stopped.then(() => undefined),
  )
  return async () => {
    stop.abort()
    await ended
  }
}

/** Listens on the given port. Without a given port, a taken default port is replaced by any free port. */
const openAnywhere = (config: Config, isAsked: boolean): Promise<Service> =>
  openService(config).catch((error: unknown) => {
    if (isAsked || !isPortTaken(error)) throw error
    return openService({ ...config, listen: { ...config.listen, port: 0 } })
  })
