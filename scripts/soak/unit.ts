import { deepStrictEqual } from 'node:assert'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { parquetFiles } from '#test/pipeline/lakefiles.ts'
import { readLarge, reparseLarge, type LargeReading } from '#test/pipeline/large/read_large.ts'
import { serveLarge } from '#test/pipeline/large/upstream.ts'

/**
 * `npm run soak -- unit [--sizes 10,100,500,2000] [--memory 1GB] [--most N]`: reads units of so many megabytes of
 * answers, each in a process of its own, once undisturbed and once killed in the middle, and reparses them. The
 * resident memory of no process exceeds `most` megabytes: 500 of Node, and twice `memory`, since the allocator of
 * DuckDB returns freed blocks within a second, and an external sort frees most of its memory at once. A killed reading
 * is resumed: it asks for no page twice, but for the last stored one and those of the last 16 MB, and leaves the same
 * files.
 */
export async function unit(args: readonly string[]): Promise<void> {
  const options = {
    sizes: { type: 'string', default: '10,100,500,2000' },
    memory: { type: 'string', default: '1GB' },
    most: { type: 'string', default: '2500' },
  } as const
  const { sizes, memory, most } = parseArgs({ args: [...args], options }).values
  const peaks: number[] = []
  for (const megabytes of sizes.split(',').map(Number)) peaks.push(...(await measure(megabytes, memory)))
  const peak = Math.max(...peaks)
  if (!(peak <= Number(most))) throw new Error(`resident memory: ${peak} MB; expected at most ${most} MB for all sizes`)
}

/** The largest resident memory of the three processes. */
async function measure(megabytes: number, memory: string): Promise<number[]> {
  const upstream = await serveLarge(megabytes)
  const root = await mkdtemp(join(tmpdir(), 'tapeline-unit-'))
  const [calm, struck] = [join(root, 'calm'), join(root, 'struck')]
  try {
    const whole = await readLarge({ home: calm, upstream, memory })
    upstream.asked()
    const files = await parquetFiles(calm)
    const reparsed = await reparseLarge(calm, { memory })
    deepStrictEqual(await parquetFiles(calm), files)
    await rm(calm, { recursive: true })
    deepStrictEqual(await readLarge({ home: struck, upstream, memory, killAt: Math.floor(upstream.n_pages / 2) }), null)
    const n_before = upstream.asked().length
    const resumed = await readLarge({ home: struck, upstream, memory })
    const n_after = upstream.asked().length
    report(megabytes, { whole, reparsed, resumed, n_before, n_after, n_pages: upstream.n_pages })
    for (const reading of [whole, reparsed, resumed]) deepStrictEqual(reading?.rows, upstream.n_rows)
    deepStrictEqual(await parquetFiles(struck), files)
    // One file of progress holds 16 million characters.
    const mostAgain = Math.ceil(16e6 / ((megabytes * 1e6) / upstream.n_pages)) + 2
    if (n_before + n_after > upstream.n_pages + mostAgain)
      throw new Error(`requests: ${n_before} and ${n_after}; expected at most ${mostAgain} pages twice`)
    return [whole, reparsed, resumed].flatMap((reading) => (reading === null ? [] : [reading.peak_mb]))
  } finally {
    await upstream.close()
    await rm(root, { recursive: true, force: true })
  }
}

type Measured = { whole: LargeReading | null; reparsed: LargeReading; resumed: LargeReading | null }
type Counts = { n_before: number; n_after: number; n_pages: number }

const report = (megabytes: number, { whole, reparsed, resumed, n_before, n_after, n_pages }: Measured & Counts): void =>
  console.log(
    `${megabytes} MB, ${n_pages} pages: ${whole?.rows} rows, at most ${whole?.peak_mb} MB, ${whole?.cpu_s} CPU s; ` +
      `killed after ${n_before} pages, then ${n_after} more, at most ${resumed?.peak_mb} MB, ${resumed?.cpu_s} CPU s; ` +
      `reparsed with at most ${reparsed.peak_mb} MB`,
  )
