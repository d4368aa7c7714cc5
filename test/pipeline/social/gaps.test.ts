import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

import { detachedContext } from '#ingest/heartbeat.ts'
import { holdStream } from '#lake/units/stream_cursor.ts'
import { serveJetstream } from '#sim/social/bluesky_wire/jetstream.ts'
import { createSocialWorld } from '#sim/social/world.ts'
import { newLake, noon } from '#test/lake/fixture.ts'
import { eventually } from '#test/run/eventually.ts'

import { storeAssets } from './assets.ts'
import { followJetstream, source } from './jetstream_run.ts'

const hour = 3_600_000_000
const start = noon - (noon % hour)

const unitShape = z.object({ unit: z.string(), state: z.string(), reason: z.string().nullable() })

test('events that the server no longer has are a gap, which the hours in between name', async () => {
  const world = createSocialWorld({ seed: 2, start, step: 20_000_000 })
  const lake = await newLake()
  await storeAssets(lake, world)
  const server = createServer()
  const now = start + 39 * hour
  const jetstream = serveJetstream(server, { world, clock: () => now })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cancel = new AbortController()
  onTestFinished(() => {
    cancel.abort()
    jetstream.close()
    server.close()
  })
  // The last run ended in the first hour, and the server has the last 36.
  await (await holdStream(lake, source.name, 'bluesky')).store({ cursor: String(start), at: start })
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/jetstream`
  const context = { ...detachedContext, cancelled: cancel.signal }
  const run = followJetstream(lake, { url, now, context }).catch(String)
  const units = () =>
    lake.read(({ query }) =>
      query(
        `select split_part(unit, '/', 3) as unit, state, reason from lake.coverage
         where source = $source and dataset = 'posts' order by unit`,
        unitShape,
        { source: source.name },
      ),
    )
  await eventually(async () => expect((await units()).length).toBe(40))
  const reason = expect.stringContaining(
    'the network was quiet for over a minute: nothing came from 2026-11-20 13:00:00',
  )
  const seen = await units()
  expect(seen.slice(0, 4)).toMatchObject(Array.from({ length: 4 }, () => ({ state: 'unverified', reason })))
  // The hour before the last one is still settling.
  expect(seen.slice(4, -2).filter((unit) => unit.state !== 'done' || unit.reason !== null)).toEqual([])
  cancel.abort(new Error('the test is over'))
  expect(await run).toContain('cancelled')
})
