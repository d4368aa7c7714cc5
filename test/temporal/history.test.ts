import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { Client, Connection } from '@temporalio/client'
import { afterAll, beforeAll, expect, it } from 'vitest'

import type { Activities, Tally } from '#activities/index.ts'
import type { Engine } from '#engine/engine.ts'
import type { Unit } from '#lake/units/unit.ts'
import { hostUrls } from '#sim/markets/polymarket_wire/hosts.ts'
import { sized } from '#test/run/sized.ts'
import { backfill } from '#workflows/backfill.ts'
import { follow } from '#workflows/follow.ts'

import { openWorking } from './support/engines.ts'
import { startTemporal, type TemporalServer } from './support/server.ts'
import { describeOnTemporal } from './support/suite.ts'

/** Beyond 10,000 events Temporal warns, and beyond 50,000 it ends a run. */
const mostEvents = 10_000
/** The units of a backfill of three runs, and of each of two rounds that together exceed one run. */
const [n_long, n_much] = sized([3_900, 1_000], [4_500, 1_500])
const nowhere = 'http://127.0.0.1:9'

const unit = (n: number): Unit => ({
  source: 'venue_trades',
  kind: 'history',
  part: 'venue',
  key: String(n).padStart(5, '0'),
  from: 0,
  to: null,
  params: [],
})

const tallyOf = (units: readonly Unit[]): Tally => ({
  units: units.length,
  rows: 0,
  quarantined: 0,
  bytes: 0,
  failed: 0,
  failures: [],
})

/** A source of which `n` units are due at any instant, and which is read as soon as it is asked for. */
function sourceOf(n: number): { activities: Pick<Activities, 'instant' | 'plan' | 'pull'>; pulled: string[] } {
  const pulled: string[] = []
  const all = Array.from({ length: n }, (_, i) => unit(i))
  return {
    pulled,
    activities: {
      instant: async () => 1,
      plan: async ({ after, limit }) => {
        const left = all.filter(({ key }) => key > after)
        const units = left.slice(0, limit)
        return { units, last: units.at(-1)?.key ?? after, due: left.length }
      },
      pull: async ({ units }) => {
        pulled.push(...units.map(({ key }) => key))
        return tallyOf(units)
      },
    },
  }
}

describeOnTemporal('the history of a run', () => {
  let server: TemporalServer
  let client: Client
  let home: string
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'tapeline-history-'))
    server = await startTemporal()
    client = new Client({ connection: await Connection.connect({ address: server.address }) })
  })
  afterAll(async () => {
    await client.connection.close()
    await server.stop()
    await rm(home, { recursive: true, force: true })
  })

  /** Has a worker with these activities do some work. */
  async function onServer(activities: Partial<Activities>, work: (engine: Engine) => Promise<void>): Promise<void> {
    const { engine, close } = await openWorking({
      home,
      upstream: { worldName: 'nowhere', hosts: hostUrls(nowhere) },
      clock: () => 1,
      address: server.address,
      watch: (all) => ({ ...all, ...activities }),
    })
    try {
      await work(engine)
    } finally {
      await close()
    }
  }

  /** The number of events of each run of a workflow, in order. */
  async function eventsOf(id: string): Promise<number[]> {
    const runs = []
    const query = `WorkflowId = 'tapeline/${id}'`
    for await (const { workflowId, runId, startTime } of client.workflow.list({ query })) {
      const { historyLength } = await client.workflow.getHandle(workflowId, runId).describe()
      runs.push({ historyLength, begun: startTime.getTime() })
    }
    return runs.toSorted((a, b) => a.begun - b.begun).map(({ historyLength }) => historyLength)
  }

  /** The longest that the server waits for a sign of life of what a workflow calls; `null`: it waits without one. */
  async function patienceOf(id: string): Promise<Map<string, number | null>> {
    const { events } = await client.workflow.getHandle(`tapeline/${id}`).fetchHistory()
    const scheduled = (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: asked }) => asked ?? [])
    return new Map(
      scheduled.map(({ activityType, heartbeatTimeout }) => [
        String(activityType?.name),
        Number(heartbeatTimeout?.seconds ?? 0) || null,
      ]),
    )
  }

  it('stays short in a long backfill, which goes on as new runs and reads each unit once', async () => {
    const { activities, pulled } = sourceOf(n_long)
    await onServer(activities, async (engine) => {
      const request = { source: 'venue_trades', from: 0, to: 1, keys: [] }
      const run = await engine.start(backfill, { id: 'long', args: [request] })
      expect(await run.result()).toMatchObject({ units: n_long, due: n_long, failed: 0 })
    })
    // A worker that dies in the middle of any of them holds up nothing for longer.
    expect(await patienceOf('long')).toEqual(
      new Map([
        ['plan', 10],
        ['pull', 10],
      ]),
    )
    const events = await eventsOf('long')
    expect(events.length).toBeGreaterThan(2)
    expect(Math.max(...events)).toBeLessThan(mostEvents / 5)
    expect(pulled.toSorted()).toEqual(Array.from({ length: n_long }, (_, n) => unit(n).key))
  })

  it('stays short in a follow, however much is due in a round', async () => {
    const { activities, pulled } = sourceOf(n_much)
    let now = 0
    const tick: Activities['tick'] = async ({ sources }) => {
      now += 1
      return { due: now > 2 ? [] : sources.map((source) => ({ source, at: now })), wait_ms: 10 }
    }
    await onServer({ ...activities, tick }, async (engine) => {
      const request = { group: 'live', part: 'venue', sources: ['venue_trades'], from: 0 }
      const run = await engine.start(follow, { id: 'much', args: [request] })
      while (now <= 3) await sleep(20)
      await run.cancel()
      await run.result().catch(() => undefined)
    })
    expect(pulled).toHaveLength(2 * n_much)
    expect(await patienceOf('much')).toEqual(new Map([['tick', 10]]))
    const events = await eventsOf('much')
    // A run ends after the round in which it has read as many units as a page may hold.
    expect(events.length).toBeGreaterThan(1)
    expect(Math.max(...events)).toBeLessThan(mostEvents / 5)
  })
})
