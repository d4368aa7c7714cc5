import { rm } from 'node:fs/promises'

import { expect, onTestFinished, test } from 'vitest'

import { newHome } from '#test/lake/fixture.ts'
import { parquetFiles } from '#test/pipeline/lakefiles.ts'

import { readLarge, reparseLarge } from './read_large.ts'
import { serveLarge, type LargeUpstream } from './upstream.ts'

/** Too little to hold all answers of the larger unit. `npm run soak -- unit` has units of up to 2 GB. */
const memory = '200MB'
/** Without a limit, V8 collects so late that the peak differs from machine to machine. */
const heap_mb = 256
/** Node and DuckDB within their limits, and what Node holds outside of its heap. */
const most_mb = 700

async function served(megabytes: number): Promise<LargeUpstream> {
  const upstream = await serveLarge(megabytes)
  onTestFinished(upstream.close)
  return upstream
}

test('a unit of 10 MB and one of 60 MB are stored, and reparsed, within one bound of memory', async () => {
  for (const megabytes of [10, 60]) {
    const [home, upstream] = [await newHome(), await served(megabytes)]
    const reading = await readLarge({ home, upstream, memory, heap_mb })
    expect(reading).toMatchObject({ rows: upstream.n_rows, failures: [] })
    expect(reading?.peak_mb).toBeLessThan(most_mb)
    const files = await parquetFiles(home)
    const reparsed = await reparseLarge(home, { memory, heap_mb })
    expect(reparsed).toMatchObject({ rows: upstream.n_rows, failures: [] })
    expect(reparsed.peak_mb).toBeLessThan(most_mb)
    expect(await parquetFiles(home)).toEqual(files)
  }
})

test('a unit that is killed in the middle is resumed there; of a changed list it begins anew', async () => {
  const upstream = await served(60)
  const [calm, struck] = [await newHome(), await newHome()]
  await readLarge({ home: calm, upstream, memory })
  const killAt = Math.floor(upstream.n_pages * 0.7)
  upstream.asked()
  expect(await readLarge({ home: struck, upstream, memory, killAt })).toBeNull()
  expect(await parquetFiles(struck)).toEqual({})
  expect(upstream.asked()).toHaveLength(killAt + 1)

  // The last stored page is asked for again, then the pages after it.
  expect(await readLarge({ home: struck, upstream, memory })).toMatchObject({ rows: upstream.n_rows, failures: [] })
  const resumed = upstream.asked()
  const first = resumed[0] ?? 0
  expect(first).toBeGreaterThan(killAt / 2)
  expect(new Set(resumed)).toEqual(new Set(Array.from({ length: upstream.n_pages - first }, (_, n) => first + n)))
  expect(await parquetFiles(struck)).toEqual(await parquetFiles(calm))

  await rm(struck, { recursive: true })
  await readLarge({ home: struck, upstream, memory, killAt })
  upstream.change()
  upstream.asked()
  expect(await readLarge({ home: struck, upstream, memory })).toMatchObject({ rows: upstream.n_rows, failures: [] })
  expect(upstream.asked().length).toBeGreaterThan(upstream.n_pages)
  expect(await parquetFiles(struck)).not.toEqual(await parquetFiles(calm))
})
