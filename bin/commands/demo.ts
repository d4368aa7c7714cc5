import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import { createKey } from '#accounts/keys.ts'
import { endpoints } from '#api/endpoints/index.ts'
import { readArgs, readNumber, textOf, type Command } from '#bin/args.ts'
import { reportMoves } from '#bin/demo/price_moves.ts'
import { startUpstream, type Upstream } from '#bin/demo/upstream.ts'
import { count, standardError, reportBackfill } from '#bin/report/progress.ts'
import { keepExposing } from '#bin/report/source_metrics.ts'
import { endWith, openWorkingEngine, takeSignals } from '#bin/wiring/engine.ts'
import { followed, startFollowing, stopFollowing, type Pace } from '#bin/wiring/follow_plan.ts'
import { openPipeline, type Pipeline } from '#bin/wiring/pipeline.ts'
import { requestedAccounts } from '#bin/wiring/requested.ts'
import { logErrors, openService, untilStopped, type Service } from '#bin/wiring/service.ts'
import { simulatedHosts } from '#bin/wiring/simulated_hosts.ts'
import type { Config } from '#config.ts'
import type { Engine, Run } from '#engine/engine.ts'
import { machineClock } from '#time.ts'
import { backfill } from '#workflows/backfill.ts'
import { score } from '#workflows/score.ts'

import { readListen } from './serve.ts'

const flags = { port: { type: 'string' }, seed: { type: 'string' }, once: { type: 'boolean' } } as const

/** Seconds of the simulated world in one second of the machine. */
const speed = 60
/** What takes minutes in the world outside takes seconds here. */
const pace: Pace = { score_ms: 20_000, maintain_ms: 20_000, requested_ms: 2_000 }

/** `tapeline demo`: the whole pipeline on a simulated world, begun anew each time. */
export const demo: Command = {
  usage: 'demo [--port N] [--seed N] [--once]',
  doc: 'Run everything on a simulated world: ingest, score and serve. --once: one cycle, then exit.',
  run: async (args, config) => {
    const { values } = readArgs(args, flags)
    const seed = readNumber('seed', textOf(values['seed']) ?? '1', { least: 0, most: 2 ** 31 - 1 })
    const home = join(config.home, 'demo')
    await rm(home, { recursive: true, force: true })

    const say = (text: string): void => void process.stderr.write(`${text}\n`)
    const upstream = await startUpstream({ seed, speed })
    const { clock } = upstream
    say(`a simulated world, seed ${seed}: ${count(upstream.n_markets)} markets, ${count(upstream.n_traders)} traders`)
    const listen = readListen(values['port'], config)
    const own: Config = {
      ...config,
      home,
      listen,
      hosts: simulatedHosts(config.hosts, upstream),
      temporal: queueOfItsOwn(config),
    }
    await takeSignals(own)
    const stop = new AbortController()
    const close: (() => Promise<unknown>)[] = [upstream.close]
    try {
      // First of all the port: to find it taken after a minute's work would be a pity.
      const service = await openAnywhere(own, values['port'] !== undefined)
      close.unshift(service.close)
      const world = { clock, speed, signal: stop.signal, keepSnapshots_ms: 20 * 60_000, keepJoined_ms: 60_000 }
      const open = (given: object) =>
        openPipeline(own, { ...given, ...world, requests: requestedAccounts(service.accounts) })
      const { pipeline, engine } = await openWorkingEngine(own, open, { onError: logErrors(service.log) })
      close.unshift(endWith(stop, engine), pipeline.close)
      await cycle(pipeline, engine, upstream)
      const key = await createKey(service.accounts, { tier: 'enterprise', now: machineClock() })
      await assertAnswers(service, key)
      process.stdout.write(`ready ${service.url} key ${key}\n`)
      if (values['once'] === true) return 0
      say(`try:  curl -H "Authorization: Bearer ${key}" "${service.url}/v1/pm-traders?sort=pnl&limit=5"`)
      say(`docs: ${service.url}/docs   analysts: duckdb -readonly ${join(home, 'tapeline.duckdb')}`)
      upstream.run()
      const runs = await startFollowing(engine, 0, pace)
      if (own.temporal !== undefined) close.unshift(() => endOnServer(engine, runs))
      close.unshift(keepExposing(service, pipeline.lake), reportMoves(service.marts, standardError))
      await untilStopped()
      return 0
    } finally {
      for (const end of close) await end()
    }
  },
}

/** On a server it must neither do the work of others nor have its own done by them: they watch another world. */
const queueOfItsOwn = ({ temporal }: Config): Config['temporal'] =>
  temporal && { ...temporal, taskQueue: `${temporal.taskQueue}-demo-${randomUUID().slice(0, 8)}` }

/** What goes on for ever on a server is over with its world; this worker is the only one that can end it. */
async function endOnServer(engine: Engine, runs: readonly Run<never>[]): Promise<void> {
  await stopFollowing(engine)
  await Promise.allSettled(runs.map((run) => run.result()))
}

/** Listens on the port asked for; where none was, any free one will do when the usual one is taken. */
const openAnywhere = (config: Config, isAsked: boolean): Promise<Service> =>
  openService(config, 'warn').catch((error: unknown) => {
    if (isAsked || !isPortTaken(error)) throw error
    return openService({ ...config, listen: { ...config.listen, port: 0 } }, 'warn')
  })

const isPortTaken = (error: unknown): boolean =>
  error instanceof Error && error.cause instanceof Error && 'code' in error.cause && error.cause.code === 'EADDRINUSE'

/** One full cycle: every source once, then all tables. */
async function cycle({ counts }: Pipeline, engine: Engine, { endsAt }: Upstream): Promise<void> {
  for (const source of followed) {
    const request = { source, from: 0, to: endsAt, keys: [] }
    const run = await engine.start(backfill, { id: `backfill-${source}`, args: [request] })
    const done = await reportBackfill(run, () => counts.requests)
    if (done.failed > 0) throw new Error(`${done.failed} units of ${source} could not be read`)
  }
  const run = await engine.start(score, { id: 'score', args: [{ asOf: null }] })
  for (const { name, n_rows } of (await run.result()).tables) process.stderr.write(`${name}: ${count(n_rows)} rows\n`)
}

/** Asks every endpoint that there is; the demo is ready when all of them answer. */
async function assertAnswers({ url, marts }: Service, key: string): Promise<void> {
  await marts.refresh()
  const [first] = (await marts.current('scores')?.query('select address from marts.pm_wallet limit 1')) ?? []
  for (const endpoint of endpoints) {
    const query = endpoint.path === '/pm-wallet' ? `?address=${String(first?.['address'])}` : ''
    const response = await fetch(`${url}/v1${endpoint.path}${query}`, { headers: { authorization: `Bearer ${key}` } })
    if (!response.ok) throw new Error(`${endpoint.path} answers ${response.status}: ${await response.text()}`)
  }
}
