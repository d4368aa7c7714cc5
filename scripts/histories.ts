import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { hostname, tmpdir, userInfo } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { Client, Connection } from '@temporalio/client'

import { followed, startFollowing, stopFollowing } from '#bin/wiring/follow_plan.ts'
import { startPublishing, stopPublishing } from '#bin/wiring/publish_plan.ts'
import type { Engine } from '#engine/engine.ts'
import type { Source } from '#ingest/source.ts'
import { steppedClock } from '#sim/clock.ts'
import { otherWorlds } from '#sim/markets/venues.ts'
import { createWorld } from '#sim/markets/world.ts'
import { serveWorld } from '#sim/server/server.ts'
import { openWorking } from '#test/temporal/support/engines.ts'
import { startTemporal } from '#test/temporal/support/server.ts'
import { backfill, progress } from '#workflows/backfill.ts'
import { pause, rate, resume } from '#workflows/control.ts'
import { score } from '#workflows/score.ts'

/**
 * `npx tsx scripts/histories.ts`: records the histories of runs of every workflow on a Temporal server, over a
 * simulated world, in `test/fixtures/histories/`. A test replays them against the code and fails on a change that would
 * break runs during a deployment. After such a change on purpose, record them again.
 */
const root = resolve(import.meta.dirname, '..')
const folder = join(root, 'test', 'fixtures', 'histories')
const world = createWorld({ seed: 1, scale: 0.02 })
const minute = 60_000_000

async function record(): Promise<void> {
  const { now, advance } = steppedClock(world.now)
  const upstream = await serveWorld({ world, others: otherWorlds(1), clock: now })
  const server = await startTemporal()
  const home = await mkdtemp(join(tmpdir(), 'tapeline-histories-'))
  const { engine, config, close } = await openWorking({ home, upstream, clock: now, address: server.address })
  try {
    await runBackfills(engine)
    await (await engine.start(score, { id: 'score', args: [{ asOf: null }] })).result()
    await runFollowing(engine, config.sources.filter(isRecorded), () => advance(2 * minute))
    await writeAll(server.address)
  } finally {
    await close()
    await server.stop()
    await upstream.close()
    await rm(home, { recursive: true, force: true })
  }
}

/** One venue has every kind of follow. */
const isRecorded = ({ parts }: Source): boolean => parts.every(({ name }) => name === 'polymarket')

/** A cancelled run, a controlled run, and ordinary runs. */
async function runBackfills(engine: Engine): Promise<void> {
  for (const source of followed) {
    const request = { source, from: 0, to: world.now, keys: [] }
    if (source === 'polymarket_activity') {
      const cancelled = await engine.start(backfill, { id: 'cancelled', args: [request] })
      while (((await cancelled.query(progress))?.due ?? 0) === 0) await sleep(10)
      await cancelled.cancel()
      await cancelled.result().catch(() => undefined)
    }
    const run = await engine.start(backfill, { id: `backfill-${source}`, args: [request] })
    if (source === 'polymarket_activity') {
      await run.signal(pause)
      await run.signal(rate, 5_000)
      await run.signal(resume)
    }
    await run.result()
  }
}

/** All runs of a follow, until every endless run has continued as a new run. */
async function runFollowing(engine: Engine, sources: readonly Source[], step: () => void): Promise<void> {
  await startFollowing(engine, 0, { maintain_ms: 3_600_000, requested_ms: 50 }, sources)
  await startPublishing(engine, 3_600_000)
  for (let n = 0; n < 20; n += 1) {
    await sleep(10_000)
    step()
  }
  await stopFollowing(engine, sources)
  await stopPublishing(engine)
  while ((await engine.list()).length > 0) await sleep(200)
}

async function writeAll(address: string): Promise<void> {
  const client = new Client({ connection: await Connection.connect({ address }) })
  const runs = []
  for await (const { workflowId, runId, type, startTime } of client.workflow.list()) {
    if (!type.startsWith('temporal-')) runs.push({ workflowId, runId, type, begun: startTime.getTime() })
  }
  await rm(folder, { recursive: true, force: true })
  const counts = new Map<string, number>()
  for (const { workflowId, runId, type } of runs.toSorted((a, b) => a.begun - b.begun)) {
    const n = (counts.get(type) ?? 0) + 1
    counts.set(type, n)
    const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory()
    const lines = [{ workflowId }, ...(events ?? [])].map((line) => `${JSON.stringify(plain(line))}\n`)
    assertAnonymous(lines.join(''))
    await mkdir(join(folder, type), { recursive: true })
    await writeFile(join(folder, type, `${n}.ndjson`), lines.join(''))
    console.log(`${type} ${n}: ${events?.length} events`)
  }
  await client.connection.close()
}

/** Fields that identify the machine or its files, or that a replay ignores. */
const masked = new Set(
  'identity stackTrace stickyAttributes binaryChecksum buildId taskId requestId workerVersion meteringMetadata'.split(
    ' ',
  ),
)

/**
 * A history as plain JSON for the replay: whole numbers, bytes in base 64, no empty values. Temporal's own form needs
 * its converter, which fails where npm has installed protobufjs more than once.
 */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  if ('toNumber' in value && typeof value.toNumber === 'function') return Number(value)
  // A worker's own queue contains the name of its machine.
  const isOwnQueue = 'normalName' in value && value.normalName !== ''
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !masked.has(name))
      .map(([name, inner]): [string, unknown] => [name, isOwnQueue && name === 'name' ? 'own' : plain(inner)])
      .filter(([name, inner]) => name.endsWith('EventAttributes') || !isEmpty(inner)),
  )
}

const isEmpty = (value: unknown): boolean =>
  value === null || (typeof value === 'object' && Object.keys(value).length === 0)

/** Fails if the text, or a payload, identifies the recording machine. */
function assertAnonymous(text: string): void {
  const payloads = [...text.matchAll(/"data":"([^"]+)"/g)].map(([, data = '']) => Buffer.from(data, 'base64'))
  const whole = [text, ...payloads].join('\n')
  const words = [hostname(), userInfo().username, userInfo().homedir, root, tmpdir(), `${process.pid}@`]
  // A name such as `vm` is a part of other words.
  const found = words.filter((word) => word.length > 1 && isNamed(whole, word))
  if (found.length > 0) throw new Error(`history: contains ${found.join(', ')}; expected no name of the machine`)
}

/** Whether a text has a name that is no part of a longer word. */
const isNamed = (text: string, name: string): boolean =>
  text.split(name).some((before, n, parts) => {
    const after = parts[n + 1]
    return after !== undefined && !/\w$/.test(before) && !/^\w/.test(after)
  })

await record()
