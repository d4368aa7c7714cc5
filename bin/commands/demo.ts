import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'

import { secretOf } from '#accounts/accounts.ts'
import { defineCommand } from '#bin/command_line/command.ts'
import { numberOf, portOf } from '#bin/command_line/values.ts'
import { checkEndpoints } from '#bin/demo/check_endpoints.ts'
import { signUpDemo } from '#bin/demo/demo_account.ts'
import { createDemoAlerts } from '#bin/demo/demo_alerts.ts'
import { lockDemo } from '#bin/demo/demo_lock.ts'
import { demoPosts, storePastPosts } from '#bin/demo/past_posts.ts'
import { reportMoves } from '#bin/demo/price_moves.ts'
import { noteDemo } from '#bin/demo/running_demos.ts'
import { startTelegram } from '#bin/demo/telegram.ts'
import { startDemoWorld, type DemoWorld } from '#bin/demo/world.ts'
import { describeOutcomes } from '#bin/report/outcome.ts'
import { count, standardError } from '#bin/report/progress.ts'
import { failingSources } from '#bin/report/rejection_rate.ts'
import { exposeSources, keepWatching } from '#bin/report/source_metrics.ts'
import { backfillSources } from '#bin/wiring/backfill_sources.ts'
import { endWith, openWorkingEngine, takeSignals } from '#bin/wiring/engine.ts'
import { startFollowing, stopFollowing, type Pace } from '#bin/wiring/follow_plan.ts'
import { openPipeline, type Pipeline } from '#bin/wiring/pipeline.ts'
import { logErrors, openService, requestedAccounts, untilStopped, type Service } from '#bin/wiring/service.ts'
import { simulatedConfig } from '#bin/wiring/simulated_config.ts'
import { backfillRequests } from '#bin/wiring/source_order.ts'
import type { Config } from '#config.ts'
import type { Engine, Run } from '#engine/engine.ts'
import { authorIds } from '#sources/social/author_ids.ts'
import { score } from '#workflows/score.ts'

import { demoHome, keyCommand } from './key.ts'
import { listenOn } from './serve.ts'

/** Seconds of the simulated world in one second of the machine. */
const speed = 60
/** Intervals are shorter than those of a real follow, since the simulated time is faster. */
const pace: Pace = { score_ms: 20_000, maintain_ms: 20_000, requested_ms: 2_000 }
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
    const ofItsOwn = { home, database: undefined, temporal: queueOfItsOwn(config), telegram: telegram.settings }
    const own: Config = { ...simulatedConfig(config, upstream, chains.settings), ...ofItsOwn, listen }
    await takeSignals(own)
    const stop = new AbortController()
    const close: (() => Promise<unknown>)[] = [demoWorld.close, telegram.close, unlock]
    try {
      // The port is bound first: a conflict fails before the minute of ingestion.
      const service = await openAnywhere(own, port !== undefined)
      close.unshift(service.close)
      close.unshift(await noteDemo({ home: resolve(home), url: service.url }))
      const world = { clock, speed, signal: stop.signal, keepSnapshots_ms: 20 * 60_000, keepLakeSnapshots_ms: 60_000 }
      const open = (given: object) =>
        openPipeline(own, { ...given, ...world, buildsApart: true, requests: requestedAccounts(service.accounts) })
      const { pipeline, engine } = await openWorkingEngine(own, open, { onError: logErrors(service.log) })
      close.unshift(endWith(stop, engine), pipeline.close)
      const hash = authorIds((await secretOf(service.accounts, 'authors')).toString('base64url'))
      await storePastPosts(pipeline.lake, demoPosts(seed, upstream.now), { to: upstream.now, hash })
      await cycle(pipeline, engine, { upstream, chains, say, signal: stop.signal })
      const person = await signUpDemo(service)
      const { email, password, key } = person
      await checkEndpoints(service, key)
      process.stdout.write(`ready ${service.url} key ${key}\n`)
      if (isOnce) return 0
      say(`try:  curl -H "Authorization: Bearer ${key}" "${service.url}/v1/pm-traders?sort=pnl&limit=5"`)
      say(`docs: ${service.url}/docs   analysts: duckdb -readonly ${join(home, 'tapeline.duckdb')}`)
      say(`keys: ${keyCommand()}   sign-in: ${email}, password ${password}`)
      say(`telegram: open the link of the account settings, or ${telegram.command}`)
      say(`alerts: ${await createDemoAlerts(service, person, telegram)} of the demo; their messages: ${telegram.page}`)
      demoWorld.run()
      const runs = await startFollowing(engine, 0, pace, own.sources)
      if (own.temporal !== undefined) close.unshift(() => endOnServer(engine, runs))
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
  await Promise.allSettled(runs.map((run) => run.result()))
}

/** Listens on the given port. Without a given port, a taken default port is replaced by any free port. */
const openAnywhere = (config: Config, isAsked: boolean): Promise<Service> =>
  openService(config).catch((error: unknown) => {
    if (isAsked || !isPortTaken(error)) throw error
    return openService({ ...config, listen: { ...config.listen, port: 0 } })
  })

const isPortTaken = (error: unknown): boolean =>
  error instanceof Error && error.cause instanceof Error && 'code' in error.cause && error.cause.code === 'EADDRINUSE'

/** One full cycle: a backfill of every source, then all tables. The chains are made while the venues are read. */
async function cycle(
  { counts, lake, sources }: Pipeline,
  engine: Engine,
  { upstream, chains, say, signal }: Pick<DemoWorld, 'upstream' | 'chains'> & { say: Say; signal: AbortSignal },
): Promise<void> {
  const ofChains = new Set(sources.filter(({ parts }) => parts.some(({ chain }) => chain)).map(({ name }) => name))
  let made: Promise<void> | undefined
  const before = async (name: string): Promise<void> => {
    if (ofChains.has(name)) await (made ??= chains.made.then(say))
  }
  const begun_ms = performance.now()
  const requests = backfillRequests(sources, { names: [], from: 0, to: upstream.endsAt })
  const options = { engine, requests: () => counts.requests, signal, before }
  const outcomes = await backfillSources(requests, options)
  const seconds = (performance.now() - begun_ms) / 1000
  const { text, isFailed } = describeOutcomes(outcomes, { failing: await failingSources(lake), seconds })
  process.stderr.write(text)
  if (isFailed) throw new Error('backfill: sources failed; expected all sources to be read')
  const run = await engine.start(score, { id: 'score', args: [{ asOf: null }] })
  for (const { name, n_rows } of (await run.result()).tables) process.stderr.write(`${name}: ${count(n_rows)} rows\n`)
}
