import { parseArgs } from 'node:util'

import { z } from 'zod'

import { commitUnits } from '#lake/catalog/commit_units.ts'
import type { CoverageRow } from '#lake/catalog/tables.ts'
import { openLake, type Lake } from '#lake/lake.ts'
import { machineClock } from '#time.ts'

import { timeCommands } from './catalog/commands.ts'
import { fillHistories } from './catalog/history_lake.ts'
import { inFolder } from './ingest/timed_process.ts'

/**
 * The catalog with the coverage of many units: `npm run bench -- catalog [--parts 250] [--small 40] [--large 2000]`. It
 * measures the coverage of a whole source, and that of one part, as a plan of this part reads it, with few and with
 * many units a part. `ratio plan` is the time of a part with `--small` units among many others to that among few.
 *
 * `--units 13014 --fills 200000 [--file 1500]` measures commands on a lake of histories instead: their CPU seconds, and
 * those of each page of a backfill's plan. A data file has the rows of `--file` units.
 */
const { values } = parseArgs({
  options: {
    parts: { type: 'string', default: '250' },
    small: { type: 'string', default: '40' },
    large: { type: 'string', default: '2000' },
    units: { type: 'string' },
    fills: { type: 'string', default: '200000' },
    file: { type: 'string', default: '1500' },
  },
})
const source = 'bench_blocks'
const planned = 'part-planned'

const entry = (part: string, n: number): CoverageRow => ({
  dataset: 'quotes',
  unit: `${source}/${part}/${String(n * 1_000).padStart(12, '0')}-${String(n * 1_000 + 999).padStart(12, '0')}`,
  part,
  key: '',
  precedence: 1,
  state: 'done',
  from_at: null,
  to_at: null,
  from_block: n * 1_000,
  to_block: n * 1_000 + 1_000,
  n_rows: 0,
  n_read: 0,
  n_rejected: 0,
  digest: null,
  asked: '["host"]',
  verified: '[]',
  proof: null,
  reason: null,
  reason_code: null,
  gaps: null,
  resume: null,
  upstream_at: null,
  checked_at: 0,
  source,
})

/** Adds coverage of units `from` to `to` of a part in one commit. */
async function cover({ catalog }: Lake, part: string, from: number, to: number): Promise<void> {
  const coverage = Array.from({ length: to - from }, (_, n) => entry(part, from + n))
  for (let n = 0; n < coverage.length; n += 500) {
    const some = coverage.slice(n, n + 500)
    await commitUnits(catalog, { units: some.map(({ unit }) => unit), coverage: some })
  }
}

/** The median milliseconds of some runs. */
async function median(work: () => Promise<unknown>, runs = 15): Promise<number> {
  const took: number[] = []
  for (let run = 0; run < runs; run += 1) {
    const begun_ms = performance.now()
    await work()
    took.push(performance.now() - begun_ms)
  }
  return took.toSorted((a, b) => a - b)[runs >> 1] ?? Number.NaN
}

const counted = z.object({ n: z.bigint() })
const coverageOf = (lake: Lake, prefix: string) =>
  median(() =>
    lake.read(({ query }) =>
      query(`select count(*) as n from lake.coverage where state = 'done'`, counted, undefined, { coverage: [prefix] }),
    ),
  )

/** The commands on a lake of histories. */
async function measureCommands(home: string, n_units: number): Promise<void> {
  const size = { n_units, n_fills: Number(values.fills), unitsPerFile: Number(values.file) }
  await fillHistories(home, { ...size, at: machineClock() })
  await timeCommands(home)
}

/** The coverage of many parts. */
async function measureCoverage(home: string): Promise<void> {
  const lake = await openLake(home, { threads: 1, memory: '1GB' })
  try {
    const [parts, small, large] = [values.parts, values.small, values.large].map(Number) as [number, number, number]
    await cover(lake, planned, 0, small)
    for (let part = 1; part < parts; part += 1) await cover(lake, `part${part}`, 0, small)
    const whole = await coverageOf(lake, `${source}/`)
    console.log(`coverage of one source, ${parts * small} units: ${whole.toFixed(1)} ms`)
    const few = await coverageOf(lake, `${source}/${planned}/`)
    console.log(`plan of a part of ${small} units among ${parts * small}: ${few.toFixed(1)} ms`)
    for (let part = 1; part < parts; part += 1) await cover(lake, `part${part}`, small, large)
    const many = await coverageOf(lake, `${source}/${planned}/`)
    console.log(`plan of a part of ${small} units among ${parts * large}: ${many.toFixed(1)} ms`)
    console.log(`ratio plan ${(many / few).toFixed(2)}`)
  } finally {
    await lake.close()
  }
}

await inFolder((home) =>
  values.units === undefined ? measureCoverage(home) : measureCommands(home, Number(values.units)),
)
