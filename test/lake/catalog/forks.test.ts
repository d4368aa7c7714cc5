import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

import { vacuum } from '#lake/compaction/vacuum.ts'
import type { Lake } from '#lake/lake.ts'
import { repairLake } from '#lake/repair/repair.ts'
import { mergeAll } from '#test/lake/compaction/merge_all.ts'
import { lifeOf, newHome, newLake, noon, quote, storeRows } from '#test/lake/fixture.ts'
import { contentsOf, removeCatalog } from '#test/lake/repair/fixture.ts'
import { until } from '#test/run/eventually.ts'
import { loader } from '#test/run/loader.ts'
import { sized } from '#test/run/sized.ts'
import { DAY, machineClock } from '#time.ts'

import { commands, startPostgres, type PostgresServer } from './postgres.ts'

/** A lake's home, and the URL of its catalog; without one the catalog is in SQLite. */
type Place = { home: string; database: string | undefined }

const script = join(import.meta.dirname, 'worker.ts')
const write = ({ home, database }: Place, key: string, n: number, first = 0): ChildProcess => {
  const args = [home, key, String(n), String(first), ...(database === undefined ? [] : [database])]
  const child = spawn(process.execPath, [...loader, script, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

/** The forks that a reader sees of each unit: by its quotes, its market, and its coverage. */
const forkShape = z.object({
  key: z.string(),
  quotes: z.array(z.coerce.number()),
  n_quotes: z.coerce.number(),
  markets: z.array(z.coerce.number()).nullable(),
  covered: z.array(z.coerce.number()),
})
const seen = (lake: Lake) =>
  lake.read(({ query }) =>
    query(
      `select c.key, list(distinct c.reason) as covered,
         (select list(distinct (bid * 1000000)::integer) from lake.quotes where market_id = 'venue:' || c.key) as quotes,
         (select count(*) from lake.quotes where market_id = 'venue:' || c.key) as n_quotes,
         (select list(distinct question) from lake.markets where market_id = 'venue:' || c.key) as markets
       from lake.coverage c group by c.key order by c.key`,
      forkShape,
    ),
  )

/** Expects that the rows and the coverage of a unit are those of one fork. */
function expectWhole(units: readonly z.output<typeof forkShape>[]): void {
  for (const { key, quotes, n_quotes, markets, covered } of units) {
    const [fork = -1] = covered
    const expected = {
      key,
      covered: [fork],
      quotes: [fork],
      n_quotes: 1 + (fork % 3),
      markets: fork % 3 === 2 ? null : [fork],
    }
    expect({ key, covered, quotes, n_quotes, markets }).toEqual(expected)
  }
}

let server: PostgresServer | undefined
beforeAll(async () => {
  if (commands !== undefined) server = await startPostgres()
})
afterAll(() => server?.stop())

describe.each(['SQLite', 'PostgreSQL'])('a catalog in %s', (kind) => {
  const newPlace = async (): Promise<Place> => ({
    home: await newHome(),
    database: kind === 'SQLite' ? undefined : await server?.newDatabase(),
  })
  beforeEach(({ skip }) => skip(kind === 'PostgreSQL' && server === undefined, 'PostgreSQL is missing'))

  test('a reader sees each unit of one fork in all datasets, while writers store others and are killed', async () => {
    const place = await newPlace()
    const lake = await newLake(place)
    const keys = ['0xa', '0xb']
    const forks = new Set<string>()
    const seenOf = (key: string): number => [...forks].filter((fork) => fork.startsWith(key)).length
    const n_forks = 100_000
    let isWriting = true
    const writers = Promise.all(
      keys.map(async (key, nth) => {
        for (let run = 0; run < sized(1, 1, 4); run += 1) {
          const before = seenOf(key)
          const child = write(place, key, n_forks, run * n_forks)
          child.stdout?.resume()
          const ended = once(child, 'exit')
          // The reader has seen the writer at work. It is killed at another moment of a commit each time.
          await until(() => child.exitCode !== null || seenOf(key) >= before + sized(2, 2, 3))
          await sleep(17 * ((run * 3 + nth) % 7))
          expect(child.exitCode, 'the writer ended by itself').toBeNull()
          child.kill('SIGKILL')
          await ended
        }
      }),
    ).finally(() => {
      isWriting = false
    })
    for (let n = 0; isWriting; n += 1) {
      const units = await seen(lake)
      expectWhole(units)
      for (const { key, covered } of units) forks.add(`${key} ${covered[0]}`)
      if (n % 5 === 4) await mergeAll(lake).catch((error: unknown) => expect(String(error)).toContain('not merged'))
    }
    await writers
    expect(forks.size).toBeGreaterThan(sized(3, 3, 12))
    expectWhole(await seen(lake))
  })

  test('a lost catalog is rebuilt from the data files', async () => {
    const place = await newPlace()
    const lake = await newLake(place)
    for (const key of ['0xa', '0xb']) await storeRows(lake, lifeOf(key), { quotes: [quote(key, noon)] })
    await mergeAll(lake)
    await storeRows(lake, lifeOf('0xb'), { quotes: [quote('c', noon)] })
    const contents = await contentsOf(lake)
    await lake.close()
    if (kind === 'SQLite') await removeCatalog(place.home)
    const database = kind === 'SQLite' ? undefined : await server?.newDatabase()
    const { rebuilt } = await repairLake({ ...place, database, limits: { threads: 1, memory: '256MB' } })
    expect(rebuilt).toEqual({ n_files: 2, n_units: 2 })
    expect(await contentsOf(await newLake({ home: place.home, database }))).toEqual(contents)
  })

  test('processes open a lake while another one commits', async () => {
    const place = await newPlace()
    const lake = await newLake(place)
    let isOpening = true
    const commits = (async () => {
      let n = 0
      for (; isOpening; n += 1) await storeRows(lake, lifeOf(`0x${n % 7}`), { quotes: [quote('a', noon + n)] })
      return n
    })()
    const open = async (): Promise<void> => expect(await once(write(place, '0x', 0), 'exit')).toEqual([0, null])
    for (let n = 0; n < sized(3, 3, 6); n += 1) await Promise.all([open(), open(), open()])
    isOpening = false
    expect(await commits).toBeGreaterThan(5)
  })

  test('processes commit units at once, half of them are killed: each unit is there once, and no file but its own stays', async () => {
    const place = await newPlace()
    const n_forks = sized(12, 12, 24)
    const keys = Array.from({ length: sized(4, 4, 10) }, (_, n) => `0x${n}`)
    const run = async (key: string, killed_ms: number | undefined): Promise<void> => {
      const child = write(place, key, n_forks)
      const ended = once(child, 'exit')
      if (killed_ms !== undefined) {
        await Promise.race([once(createInterface(child.stdout ?? process.stdin), 'line'), ended])
        await sleep(killed_ms)
        child.kill('SIGKILL')
      } else child.stdout?.resume()
      await ended
    }
    await Promise.all(keys.map((key, n) => run(key, n % 2 === 0 ? 40 * n : undefined)))
    const lake = await newLake(place)
    expectWhole(await seen(lake))
    // The same writers again, in peace.
    for (const key of keys.filter((_, n) => n % 2 === 0)) await run(key, undefined)
    const units = await seen(lake)
    expectWhole(units)
    expect(units.map(({ key, covered }) => [key, covered[0]])).toEqual(keys.map((key) => [key, n_forks - 1]))
    const { deleted } = await vacuum(lake, { now: machineClock() + DAY, keep_ms: 1_000 })
    expect(deleted.length).toBeGreaterThan(0)
    const named = await lake.catalog.db.selectFrom('ducklake_data_file').select('data_file_id').execute()
    expect(await lake.storage.list('lake')).toHaveLength(named.length)
    const placed = await lake.catalog.db.selectFrom('tapeline_rows').select('unit').distinct().execute()
    expect(placed).toHaveLength(keys.length)
  })
})

test('the catalog of another lake is refused', async ({ skip }) => {
  const database = await server?.newDatabase()
  skip(database === undefined, 'PostgreSQL is missing')
  const lake = await newLake({ database })
  await storeRows(lake, lifeOf('0xa'), { quotes: [quote('a', noon)] })
  await expect(newLake({ home: await newHome(), database })).rejects.toThrow(
    /^DATABASE_URL: the catalog of another lake; expected the data files in /,
  )
})
