import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { createWorld } from '#sim/markets/world.ts'
import { createRandom } from '#sim/random.ts'
import { serveWorld, type ServedWorld } from '#sim/server/server.ts'
import { until } from '#test/run/eventually.ts'
import { loader } from '#test/run/loader.ts'
import { sized } from '#test/run/sized.ts'

import { parquetFiles } from './lakefiles.ts'
import { ingestAll, openTestPipeline } from './pipeline.ts'

const world = createWorld({ seed: 7, scale: sized(0.02, 0.02, 0.05) })
const clock = (): number => world.now
const kills = sized(3, 3, 12)

describe('a backfill that is killed', () => {
  let upstream: ServedWorld
  let root: string
  beforeAll(async () => {
    upstream = await serveWorld({ world, clock })
    root = await mkdtemp(join(tmpdir(), 'tapeline-kill-'))
  })
  afterAll(async () => {
    await upstream.close()
    await rm(root, { recursive: true, force: true })
  })

  it(`leaves the lake of one that was not, byte for byte, after ${kills} kills at random moments`, async () => {
    const undisturbed = join(root, 'undisturbed')
    const pipeline = await openTestPipeline(undisturbed, upstream, clock)
    await ingestAll(pipeline, world.now)
    await pipeline.lake.close()
    const n_whole = upstream.requests().total

    const killed = join(root, 'killed')
    const random = createRandom(20, 1)
    let cut = 0
    for (let n = 0; n < kills; n += 1) {
      // Each run goes on where the last one was cut off, so that together they come to about one whole run.
      const moment = { n_requests: (random.next() * 2 * n_whole) / kills, after_ms: 50 * random.next() }
      if (await runAndKill(killed, upstream, moment)) cut += 1
    }
    expect(await runAndKill(killed, upstream)).toBe(false)
    // The test means something only if most runs were really cut off in the middle of their work.
    expect(cut).toBeGreaterThan(kills / 2)
    expect(await parquetFiles(killed)).toEqual(await parquetFiles(undisturbed))
  })
})

type Moment = { n_requests: number; after_ms: number }

/** Runs a worker and kills it some time after so many of its requests; true when it was killed before it was done. */
async function runAndKill(home: string, upstream: ServedWorld, moment?: Moment): Promise<boolean> {
  const args = [...loader, 'test/pipeline/worker.ts', home, JSON.stringify(upstream), String(world.now)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  const ended = once(child, 'exit')
  let isOver = false
  void ended.then(() => (isOver = true))
  if (moment !== undefined) {
    const last = upstream.requests().total + moment.n_requests
    await until(() => isOver || upstream.requests().total >= last, 1)
    await Promise.race([sleep(moment.after_ms), ended])
    child.kill('SIGKILL')
  }
  const [code, signal] = await ended
  if (signal !== 'SIGKILL') expect(code).toBe(0)
  return signal === 'SIGKILL'
}
