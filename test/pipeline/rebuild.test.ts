import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { createWorld } from '#sim/markets/world.ts'
import { createRandom, type Random } from '#sim/random.ts'
import { serveWorld, type ServedWorld } from '#sim/server/server.ts'
import { sized } from '#test/run/sized.ts'

import { parquetFiles } from './lakefiles.ts'
import { hashesOf, ingestAll, openTestPipeline, type TestHouse, type Variation } from './pipeline.ts'

const day = 86_400 * 1_000_000
const world = createWorld({ seed: 11, scale: sized(0.02, 0.02, 0.05) })
const clock = (): number => world.now

describe('the same world', () => {
  let upstream: ServedWorld
  let root: string
  let plain: Awaited<ReturnType<typeof build>>
  beforeAll(async () => {
    upstream = await serveWorld({ world, clock })
    root = await mkdtemp(join(tmpdir(), 'tapeline-rebuild-'))
    plain = await build('plain', { threads: 1, concurrency: 1 })
  })
  afterAll(async () => {
    await upstream.close()
    await rm(root, { recursive: true, force: true })
  })

  const build = async (name: string, variation: Variation, random?: Random) => {
    const home = join(root, name)
    const pipeline = await openTestPipeline(home, upstream, clock, variation)
    await ingestAll(random === undefined ? pipeline : shuffled(pipeline, random), world.now)
    const asOf = [world.now, world.now - 30 * day]
    const hashes: Record<string, string>[] = []
    for (const at of asOf) hashes.push(hashesOf(await pipeline.activities.publishAll({ asOf: at })))
    await pipeline.lake.close()
    return { hashes, files: await parquetFiles(home) }
  }

  it('gives the same lake and the same hashes, now and as of a past instant, however it was read', async () => {
    const other = await build('other', { threads: 2, concurrency: 16 }, createRandom(3, 1))
    expect(Object.keys(plain.files).length).toBeGreaterThan(50)
    expect(other.files).toEqual(plain.files)
    expect(other.hashes).toEqual(plain.hashes)
    expect(plain.hashes[0]).not.toEqual(plain.hashes[1])
  })

  it('gives the same hashes when it is scored twice', async () => {
    const pipeline = await openTestPipeline(join(root, 'plain'), upstream, clock, { threads: 2 })
    const again = hashesOf(await pipeline.activities.publishAll({ asOf: world.now - 30 * day }))
    await pipeline.lake.close()
    expect(again).toEqual(plain.hashes[1])
  })
})

/** The same house, but units come in any order. */
const shuffled = ({ activities, ...house }: TestHouse, random: Random): TestHouse => ({
  ...house,
  activities: {
    ...activities,
    pull: ({ units, at, rate }) =>
      activities.pull({
        at,
        rate,
        units: units
          .map((unit) => ({ unit, rank: random.next() }))
          .toSorted((a, b) => a.rank - b.rank)
          .map(({ unit }) => unit),
      }),
  },
})
