import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { ingestAll, openTestPipeline, type TestHouse } from '#test/pipeline/pipeline.ts'
import type { Clock } from '#time.ts'

import type { DriftingUpstream } from './upstream.ts'

/** Homes of one upstream, whose markets were read by the sources `described`, and nothing else. */
export async function openHomes(
  upstream: DriftingUpstream,
  clock: Clock,
  described: readonly string[],
): Promise<{ open: (name: string) => Promise<TestHouse>; close: () => Promise<void> }> {
  const root = await mkdtemp(join(tmpdir(), 'tapeline-drift-'))
  const houses: TestHouse[] = []
  const openHome = (name: string): Promise<TestHouse> =>
    openTestPipeline(join(root, name), upstream, clock, { fetch: upstream.fetch })
  const first = await openHome('described')
  await ingestAll(first, clock(), [...described])
  await first.lake.close()
  return {
    open: async (name) => {
      // A closed catalog is whole in its file; its empty log goes later.
      const filter = (path: string) => !/-(shm|wal)$/.test(path)
      await cp(join(root, 'described'), join(root, name), { recursive: true, filter })
      const house = await openHome(name)
      houses.push(house)
      return house
    },
    close: async () => {
      await Promise.all(houses.map(({ lake }) => lake.close()))
      await rm(root, { recursive: true, force: true })
    },
  }
}
