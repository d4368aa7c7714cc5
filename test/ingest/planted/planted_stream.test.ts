import { setTimeout as sleep } from 'node:timers/promises'

import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

import { startWorkflow } from '#engine/embedded_workflow.ts'
import { detachedContext } from '#ingest/heartbeat.ts'
import type { Lake } from '#lake/lake.ts'
import { holdStream } from '#lake/units/stream_cursor.ts'
import { createRandom } from '#sim/random.ts'
import { newHome, newLake, noon } from '#test/lake/fixture.ts'
import { eventually } from '#test/run/eventually.ts'
import { sized } from '#test/run/sized.ts'
import type { Micros } from '#time.ts'
import { follow as followWorkflow } from '#workflows/follow.ts'
import type { FollowRequest } from '#workflows/follow_state.ts'

import { seqsOf, storedSeqs } from './held_rows.ts'
import { runAndKill, startWorker } from './killed.ts'
import { plantedStream } from './planted_stream.ts'
import { streamActivities } from './stream_pipeline.ts'
import { serveStream, type StreamServer } from './stream_server.ts'

const second: Micros = 1_000_000
const hour = 3_600 * second
/** No event is later than this. */
const now = noon + 1_000 * hour

async function served(): Promise<StreamServer> {
  const server = await serveStream(noon)
  onTestFinished(server.close)
  return server
}

/** Follows the stream until `stop`, which flushes what came. */
function follow(lake: Lake, { url }: StreamServer) {
  const cancel = new AbortController()
  const cursors: unknown[] = []
  const context = {
    ...detachedContext,
    cancelled: cancel.signal,
    heartbeat: (cursor: unknown) => void cursors.push(cursor),
  }
  const { stream } = streamActivities(lake, { url, now, context })
  // A run ends after five minutes of its clock, which are seconds here; the next run continues.
  const run = async (): Promise<never> => {
    for (;;) await stream({ source: plantedStream.name, part: 'feed' })
  }
  const outcome = run().catch(String)
  const stop = async (): Promise<string> => {
    cancel.abort(new Error('the test is over'))
    return outcome
  }
  onTestFinished(async () => void (await stop()))
  return { stop, outcome, cursors }
}

const unitShape = z.object({ unit: z.string(), state: z.string(), reason: z.string().nullable(), from_at: z.date() })
const unitsOf = (lake: Lake) =>
  lake.read(({ query }) =>
    query(
      `select split_part(unit, '/', 3) as unit, state, reason, from_at from lake.coverage order by unit`,
      unitShape,
    ),
  )

/** Waits until a stream has stored the last event. */
const untilStored = (lake: Lake, server: StreamServer): Promise<void> =>
  eventually(async () => expect((await storedSeqs(lake)).at(-1)).toBe(server.events.length))

const connected = (server: StreamServer, n = 1): Promise<void> =>
  eventually(() => expect(server.n_connections()).toBeGreaterThanOrEqual(n))

test('a stream fills the current hour, and closes those that are over by its own clock', async () => {
  const [server, lake] = [await served(), await newLake()]
  const { stop, cursors } = follow(lake, server)
  await connected(server)
  // From 13:05 on: 12 events an hour, to 15:30.
  server.emit(29, 300 * second)
  await untilStored(lake, server)
  expect(await storedSeqs(lake)).toEqual(seqsOf(server))
  expect(await unitsOf(lake)).toMatchObject([
    { unit: '2026-11-20T13', state: 'done', from_at: new Date(noon / 1000 + 300_000) },
    { unit: '2026-11-20T14', state: 'done', from_at: new Date('2026-11-20T14:00:00Z') },
    { unit: '2026-11-20T15', state: 'head' },
  ])
  // Hours without an event are covered too.
  await eventually(async () => {
    // A connection that is made anew does not get the former ticks.
    server.tick(noon + 4 * hour)
    expect((await unitsOf(lake)).map(({ state }) => state)).toEqual(['done', 'done', 'done', 'done', 'head'])
  })
  expect(await stop()).toBe('AbortError: cancelled: the test is over')
  expect(cursors.at(-1)).toMatchObject({ cursor: '29' })
})

test('an hour that had not settled when a run ended is closed by the next run', async () => {
  const [server, lake] = [await served(), await newLake()]
  const first = follow(lake, server)
  await connected(server)
  // The second event is half a minute after the hour of the first one.
  for (const step of [1_800 * second, 1_530 * second]) server.emit(1, step)
  await untilStored(lake, server)
  await first.stop()
  expect((await unitsOf(lake)).map(({ state }) => state)).toEqual(['head', 'head'])
  follow(lake, server)
  await connected(server, 2)
  server.emit(1, 600 * second)
  await untilStored(lake, server)
  await eventually(async () => expect((await unitsOf(lake)).map(({ state }) => state)).toEqual(['done', 'head']))
  expect(await storedSeqs(lake)).toEqual(seqsOf(server))
})

test('connections that drop, repeat and go silent neither lose nor double a row', async () => {
  const [server, lake] = [await served(), await newLake()]
  follow(lake, server)
  await connected(server)
  server.emit(1, second)
  await untilStored(lake, server)
  server.setFaults(0.01)
  for (let n = 0; n < 40; n++) {
    server.emit(25, 7 * second)
    if (n % 10 === 5) server.goSilent()
    await sleep(20)
  }
  server.setFaults(0)
  await untilStored(lake, server)
  expect(await storedSeqs(lake)).toEqual(seqsOf(server))
  expect(server.n_connections()).toBeGreaterThan(5)
  expect((await unitsOf(lake)).map(({ reason }) => reason)).toEqual(expect.not.arrayContaining([expect.any(String)]))
})

test('messages that the server has forgotten are a gap, which coverage names', async () => {
  const [server, lake] = [await served(), await newLake()]
  const first = follow(lake, server)
  await connected(server)
  server.emit(10, 60 * second)
  await untilStored(lake, server)
  await first.stop()
  // No run listens for two hours, and the server keeps the last ten of 120 events.
  server.emit(120, 60 * second)
  server.forgetBefore(121)
  const second_run = follow(lake, server)
  await untilStored(lake, server)
  await second_run.stop()
  expect(await storedSeqs(lake)).toEqual(seqsOf(server).filter((seq) => seq <= 10 || seq >= 121))
  const reason =
    'messages 11 to 120 are gone: nothing came from 2026-11-20 13:15:00.000000 to 2026-11-20 15:06:00.000000'
  expect(await unitsOf(lake)).toMatchObject([
    { unit: '2026-11-20T13', state: 'unverified', reason },
    { unit: '2026-11-20T14', state: 'unverified', reason },
    { unit: '2026-11-20T15', state: 'unverified', reason },
  ])
})

test('a message that does not parse is quarantined, and stays so', async () => {
  const [server, lake] = [await served(), await newLake()]
  const first = follow(lake, server)
  await connected(server)
  server.emit(3, second)
  server.tick(Number.NaN)
  server.emit(1, second)
  await untilStored(lake, server)
  await first.stop()
  const again = follow(lake, server)
  await connected(server, 2)
  server.emit(1, second)
  await untilStored(lake, server)
  await again.stop()
  expect(await storedSeqs(lake)).toEqual(seqsOf(server))
  expect(await unitsOf(lake)).toMatchObject([{ state: 'quarantined', reason: '1 row did not parse' }])
  const bodies = await lake.read(({ query }) =>
    query('select body from lake.quarantine', z.object({ body: z.string() })),
  )
  expect(bodies).toEqual([{ body: '{"at":null}' }])
})

test('the follow of its part reads a stream', async () => {
  const [server, lake] = [await served(), await newLake()]
  const cancel = new AbortController()
  const context = { ...detachedContext, cancelled: cancel.signal }
  const activities = streamActivities(lake, { url: server.url, now, context })
  const sources = [plantedStream.name]
  const request: FollowRequest = {
    group: 'planted',
    part: 'feed',
    sources,
    from: 0,
    isStream: true,
  }
  const run = startWorkflow(followWorkflow, { args: [request], activities })
  await connected(server)
  server.emit(50, 20 * second)
  await untilStored(lake, server)
  expect(await storedSeqs(lake)).toEqual(seqsOf(server))
  run.cancel()
  cancel.abort()
  await expect(run.result).rejects.toThrow('cancelled')
})

test('a run that another one took over stores nothing more', async () => {
  const [server, lake] = [await served(), await newLake()]
  const { outcome } = follow(lake, server)
  await connected(server)
  server.emit(5, second)
  const stored = () => lake.catalog.db.selectFrom('tapeline_streams').selectAll().execute()
  await eventually(async () =>
    expect(await stored()).toMatchObject([{ source: 'planted_stream', part: 'feed', cursor: '5' }]),
  )
  const taken = await holdStream(lake, plantedStream.name, 'feed')
  expect(taken.position).toEqual({ cursor: '5', at: noon + 5 * second })
  server.emit(5, second)
  expect(await outcome).toMatch(/another run took the stream over/)
  expect(await storedSeqs(lake)).toEqual([1, 2, 3, 4, 5])
})

test('a stream that is killed at random moments goes on from its cursor', async () => {
  const [server, home] = [await served(), await newHome()]
  const worker = ['stream', home, server.url, String(now)]
  const child = await startWorker(worker)
  const timer = setInterval(() => server.emit(20, 11 * second), 30)
  onTestFinished(() => clearInterval(timer))
  await sleep(1_000)
  child.kill('SIGKILL')
  const random = createRandom(13, 1)
  for (let n = 0; n < sized(2, 3, 5); n++) expect(await runAndKill(worker, 200 + random.next() * 800)).toBe(true)
  clearInterval(timer)
  // The last event is in the middle of an hour: by then the hours before it have settled.
  const at = server.events.at(-1)?.at ?? noon
  server.emit(1, 1.5 * hour - (at % hour))
  const lake = await newLake({ home })
  const last = follow(lake, server)
  await untilStored(lake, server)
  await last.stop()
  const stored = await storedSeqs(lake)
  expect(stored).toEqual(seqsOf(server).filter((seq) => seq >= (stored[0] ?? 0)))
  expect(new Set((await unitsOf(lake)).slice(0, -1).map(({ state }) => state))).toEqual(new Set(['done']))
})
