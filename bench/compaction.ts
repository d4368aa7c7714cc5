import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { z } from 'zod'

import { compactLake, type CompactedSource } from '#lake/compaction/compact.ts'
import { openLake, type Lake } from '#lake/lake.ts'
import { storeUnit } from '#lake/units/store_unit.ts'
import { unitPath, type Unit } from '#lake/units/unit.ts'
import { currentFiles } from '#lake/views.ts'
import type { Micros } from '#time.ts'

/**
 * The cost of small files for a reader, and of compacting them: `npm run bench -- compaction [--units 3000] [--rows 40]
 * [--memory 2GB]`. Half of the units are observations five minutes apart, a quarter hours, a quarter histories. Each
 * has a file of rows and one of coverage. The last line is `ratio compaction <after / before>`, the time of `select
 * count(*) from lake.quotes` by a new reader after compaction relative to before. Each time is the median of five.
 */
const { values } = parseArgs({
  options: {
    units: { type: 'string', default: '3000' },
    rows: { type: 'string', default: '40' },
    memory: { type: 'string', default: '2GB' },
  },
})
const n_units = Number(values.units)
const n_rows = Number(values.rows)

const minute: Micros = 60_000_000
const start: Micros = Date.UTC(2026, 9, 1) * 1000
const part = 'venue'
const sources: CompactedSource[] = [
  { name: 'venue_odds', kind: 'observation', settle_s: 0, datasets: ['quotes'] },
  { name: 'venue_feed', kind: 'hour', settle_s: 600, datasets: ['quotes'] },
  { name: 'venue_trades', kind: 'history', settle_s: 0, datasets: ['quotes'] },
]

/** Keys in a sixteenth of the folders. Each folder has as many histories as with sixteen times more units. */
const keys = Array.from({ length: n_units * 8 }, (_, n) => `m${n}`).filter((key) =>
  createHash('md5').update(key).digest('hex').startsWith('0'),
)

function unitOf(n: number): Unit {
  const index = Math.floor(n / 4)
  const of = { part, key: '', params: [] }
  if (n % 4 === 1) {
    const from = start + index * 60 * minute
    return { ...of, source: 'venue_feed', kind: 'hour', from, to: from + 60 * minute }
  }
  if (n % 4 === 3)
    return { ...of, source: 'venue_trades', kind: 'history', key: keys[index] ?? '', from: start, to: null }
  const from = start + Math.floor(n / 2) * 5 * minute
  return { ...of, source: 'venue_odds', kind: 'observation', from, to: from }
}

async function store(lake: Lake, unit: Unit): Promise<void> {
  const rows = Array.from({ length: n_rows }, (_, n) => ({
    market_id: `venue:${unitPath(unit)}:${n}`,
    ts: unit.from + n,
    period_s: 0,
    venue: part,
    bid: BigInt(400_000 + n),
    ask: BigInt(420_000 + n),
    last: null,
    size: null,
    volume_24h_usd: null,
    size_24h: null,
  }))
  await storeUnit(lake, unit, {
    rows: { quotes: rows },
    rejected: [],
    precedence: 1,
    state: 'done',
    to: unit.to,
    asked: [part],
    checkedAt: unit.from,
  })
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const start_ms = performance.now()
  await work()
  return (performance.now() - start_ms) / 1000
}

const counted = z.object({ n: z.bigint() })

/** The time of readers, with a check of the counted rows. */
async function read(lake: Lake, when: string): Promise<number> {
  const took: Record<string, number> = {}
  for (const [table, n_expected] of [
    ['quotes', n_units * n_rows],
    ['coverage', n_units],
  ] as const) {
    const all: number[] = []
    for (let n = 0; n < 5; n++) {
      const run = async (): Promise<void> => {
        const [row] = await lake.read(({ query }) => query(`select count(*) as n from lake.${table}`, counted))
        if (Number(row?.n) !== n_expected) throw new Error(`${table}: ${Number(row?.n)} rows; expected ${n_expected}`)
      }
      all.push(await seconds(run))
    }
    took[table] = all.toSorted((a, b) => a - b)[2] ?? Number.NaN
  }
  const { units, joined } = await currentFiles(lake.storage, 'lake/quotes/v1')
  const { quotes = Number.NaN, coverage = Number.NaN } = took
  console.log(
    `${when.padEnd(6)} ${units.length + joined.length} files: quotes ${quotes.toFixed(3)} s, coverage ${coverage.toFixed(3)} s`,
  )
  return quotes
}

const home = await mkdtemp(join(tmpdir(), 'tapeline-bench-'))
try {
  const lake = await openLake(home, { threads: 2, memory: values.memory })
  const units = Array.from({ length: n_units }, (_, n) => unitOf(n))
  const stored_s = await seconds(async () => {
    for (const unit of units) await store(lake, unit)
  })
  console.log(`${n_units} units of ${n_rows} rows, stored in ${stored_s.toFixed(1)} s`)
  const before_s = await read(lake, 'before')
  const now = start + 400 * 24 * 60 * minute
  const took_s = await seconds(async () => {
    for (let isFinished = false; !isFinished;) {
      const done = await compactLake(lake, { sources, now })
      isFinished = done.isFinished
      const mb = (bytes: number): string => (bytes / 1e6).toFixed(1)
      console.log(
        `joined ${done.n_files_joined} files into ${done.joins.length}: ${mb(done.bytes_before)} MB are ${mb(done.bytes_after)} MB`,
      )
    }
  })
  console.log(`in ${took_s.toFixed(1)} s`)
  const after_s = await read(lake, 'after')
  console.log(`ratio compaction ${(after_s / before_s).toFixed(3)}`)
  lake.close()
} finally {
  await rm(home, { recursive: true })
}
