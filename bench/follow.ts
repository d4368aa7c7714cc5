import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'

import { z } from 'zod'

import { createActivities } from '#activities/index.ts'
import { openEngine } from '#bin/wiring/engine.ts'
import { followPlan } from '#bin/wiring/follow_plan.ts'
import { activityCancelled, activityProgress } from '#engine/embedded_workflow.ts'
import type { Engine, Run } from '#engine/engine.ts'
import { detachedContext } from '#ingest/heartbeat.ts'
import type { Host } from '#ingest/http/host.ts'
import type { Http } from '#ingest/http/http.ts'
import { encodeQuery } from '#ingest/http/request.ts'
import { defineSource, type Part, type PlannedSource } from '#ingest/source.ts'
import { openLake } from '#lake/lake.ts'
import type { Unit } from '#lake/units/unit.ts'
import { judgeSpace } from '#storage/disk_space.ts'
import { machineClock } from '#time.ts'
import { follow } from '#workflows/follow.ts'
import type { Following } from '#workflows/follow_state.ts'

/**
 * The cost and the pace of many followed parts in one process, on the embedded engine: `npm run bench -- follow
 * [--parts 300] [--grid 30] [--idle 60] [--rounds 3]`. One part always hangs and one part always fails. In the first
 * phase each part has a due unit every `grid` seconds, for `rounds` rounds. Every healthy part must read all its units.
 * In the second phase no unit is due for one step of `idle` seconds. The last line is `ratio idle <percent>`: the CPU
 * time of the second phase, in percent of a core.
 */
const { values } = parseArgs({
  options: {
    parts: { type: 'string', default: '300' },
    grid: { type: 'string', default: '30' },
    idle: { type: 'string', default: '60' },
    rounds: { type: 'string', default: '3' },
  },
})
const n_parts = Number(values.parts)
const hanging = 'part0'
const failing = 'part1'
const healthy = Array.from({ length: n_parts - 2 }, (_, n) => `part${n + 2}`)

const host: Host = { name: 'bench', doc: '', url: 'http://127.0.0.1:9', requestsPer10s: 1e6, concurrency: 16 }
const partOf = (name: string): Part => ({ name, upstreams: [host] })
const answer = z.object({ bid: z.number() })

/**
 * A source of quotes. Each part has a history that has ended, and in the first phase an observation at each instant.
 */
const quotesOf = (grid_s: number, isBusy: boolean): PlannedSource =>
  defineSource({
    name: isBusy ? 'bench_busy' : 'bench_idle',
    doc: 'Quotes for the benchmark of follows.',
    parts: [partOf(hanging), partOf(failing), ...healthy.map(partOf)],
    datasets: ['quotes'],
    unit: isBusy ? 'observation' : 'history',
    precedence: 1,
    lag_s: 0,
    settle_s: 0,
    grid_s,
    follow: { group: isBusy ? 'busy' : 'idle' },
    typical: { requests: 1, rows: 1, bytes: 100 },
    plan: async ({ part: { name: part }, at }): Promise<Unit[]> => {
      if (part === failing) throw new Error('no such block')
      const unit = { source: isBusy ? 'bench_busy' : 'bench_idle', part, params: [] }
      return [
        isBusy
          ? { ...unit, kind: 'observation', key: '', from: at, to: at }
          : { ...unit, kind: 'history', key: 'market', from: 0, to: 1 },
      ]
    },
    read: async (unit, { get, at }) => {
      if (unit.part === hanging) await new Promise(() => undefined)
      const { bid } = await get({ host: host.name, path: '/quote', query: { part: unit.part } }, answer)
      const row = { market_id: unit.part, ts: at - 1, period_s: 0, venue: unit.part, bid: BigInt(bid), ask: null }
      const quote = {
        ...row,
        last: null,
        size: null,
        volume_24h_usd: null,
        size_24h: null,
        venue_price: null,
        liquidity_usd: null,
      }
      return { rows: { quotes: [quote] }, rejected: [], state: 'complete', proof: 'one quote was requested' }
    },
  })

/** An upstream in this process. */
const http: Http = async ({ path, query }, shape, onReply) => {
  const body = '{"bid": 400000}'
  const reply = { host: host.name, path, query: encodeQuery(query), status: 200, body, headers: {} }
  await onReply?.({ ...reply, world: 'real', asked: [host.name], sent: 1 })
  return shape.parse(JSON.parse(body))
}

const busy = quotesOf(Number(values.grid), true)
const idle = quotesOf(Number(values.idle), false)

async function openBench(home: string): Promise<{ engine: Engine; close: () => Promise<void> }> {
  const limits = { threads: 2, memory: '1GB' }
  const lake = await openLake(home, limits)
  const activities = createActivities({
    ...limits,
    lake,
    hosts: { [host.name]: host },
    http,
    streams: async function* () {},
    sources: [busy, idle],
    models: [],
    macros: [],
    columns: {},
    clock: machineClock,
    speed: 1,
    now: machineClock,
    timers: { now_ms: Date.now, sleep },
    disk: async () => judgeSpace(1e12),
    keepRaw: false,
    concurrency: 8,
    keepSnapshots_ms: 0,
    keepLakeSnapshots_ms: 0,
    requests: {
      list: async () => [],
      followed: async () => [],
      strangers: async () => [],
      complete: async () => undefined,
    },
    context: () => ({
      ...detachedContext,
      heartbeat: activityProgress() ?? detachedContext.heartbeat,
      cancelled: activityCancelled(),
    }),
  })
  const engine = await openEngine({ home, temporal: undefined }, { activities })
  const close = async (): Promise<void> => {
    await engine.close()
    await lake.close()
  }
  return { engine, close }
}

const startAll = (engine: Engine, source: PlannedSource): Promise<Run<never>[]> =>
  Promise.all(
    [...followPlan([source])].map(([id, request]) =>
      engine.start(follow, { id, args: [{ ...request, from: 0 }], restartOnFailure: true }),
    ),
  )

/** The progress of all follows, by part. */
async function statesOf(runs: readonly Run<never>[]): Promise<Map<string, Following>> {
  const states = await Promise.all(runs.map((run) => run.query<Following>({ name: 'progress' })))
  return new Map(states.flatMap((state) => (state === undefined ? [] : [[state.part, state] as const])))
}

/** Waits until a second after the next instant of a grid. */
const untilAfterInstant = (grid_s: number): Promise<void> =>
  sleep(grid_s * 1_000 - ((machineClock() / 1_000) % (grid_s * 1_000)) + 1_000)

async function measure(engine: Engine): Promise<void> {
  const { grid_s } = busy
  await untilAfterInstant(grid_s)
  const runs = await startAll(engine, busy)
  await sleep(Number(values.rounds) * grid_s * 1_000 - 2_000)
  const states = await statesOf(runs)
  const behind = healthy.filter((part) => (states.get(part)?.rounds ?? 0) < Number(values.rounds))
  const isIsolated = states.get(hanging)?.rounds === 0 && (states.get(failing)?.failedRounds ?? 0) > 0
  console.log(`${healthy.length - behind.length} of ${healthy.length} healthy parts kept their pace`)
  console.log(`${failing}: ${states.get(failing)?.fault}`)
  if (behind.length > 0 || !isIsolated) {
    console.error(`behind: ${behind.slice(0, 5).join(', ')}; ${hanging} must read nothing, and ${failing} must fail`)
    process.exitCode = 1
  }
  await Promise.all(runs.map((run) => run.cancel()))
  await Promise.allSettled(runs.map((run) => run.result()))

  // The first round reads each history; no unit is due after it.
  const idling = await startAll(engine, idle)
  while ([...(await statesOf(idling)).values()].filter(({ rounds }) => rounds > 0).length < healthy.length) {
    await sleep(1_000)
  }
  await sleep(2_000)
  const before = process.cpuUsage()
  const begun_ms = performance.now()
  await sleep(idle.grid_s * 1_000)
  const { user, system } = process.cpuUsage(before)
  const percent = (user + system) / 10 / (performance.now() - begun_ms)
  const rounds = [...(await statesOf(idling)).values()].reduce((sum, state) => sum + state.rounds, 0)
  console.log(`${rounds} rounds of ${healthy.length} idle parts`)
  console.log(`ratio idle ${percent.toFixed(2)}`)
}

const home = await mkdtemp(join(tmpdir(), 'tapeline-bench-'))
try {
  const { engine, close } = await openBench(home)
  try {
    await measure(engine)
  } finally {
    await close()
  }
} finally {
  await rm(home, { recursive: true, force: true })
}
