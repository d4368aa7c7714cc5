import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { DuckDBInstance } from '@duckdb/node-api'

import { median } from '#bench/fold/own_process.ts'
import { timed } from '#bench/fold/timed.ts'
import { exportAnalystsFile } from '#builder/analysts/export.ts'
import { publishAll } from '#builder/publish.ts'
import { openLake } from '#lake/lake.ts'
import { columns } from '#scoring/columns/columns.ts'
import { loadExplain, loadScoring } from '#scoring/index.ts'
import { createWorld } from '#sim/markets/world.ts'
import { loadExamples } from '#test/examples/exported.ts'
import { storeWorld } from '#test/skill/stored.ts'
import { machineClock } from '#time.ts'

/**
 * `npm run soak -- examples [--scale 1] [--threads 2] [--rounds 3]`: the queries of `examples/` on the exported file of
 * a simulated lake. Scale 1 has twice the demo's fills. Seconds are those of the processor, which other work on the
 * machine changes least; in brackets those of the clock. It throws if the median of a query takes 2 seconds.
 */
export async function examples(args: readonly string[]): Promise<void> {
  const options = {
    scale: { type: 'string', default: '1' },
    threads: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '3' },
  } as const
  const { values } = parseArgs({ args: [...args], options })
  const home = await mkdtemp(join(tmpdir(), 'tapeline-examples-'))
  try {
    const file = join(home, 'exported.duckdb')
    await exportWorld(home, file, { scale: Number(values.scale), threads: Number(values.threads) })
    const slowest = await measure(file, { threads: values.threads, n_rounds: Number(values.rounds) })
    if (slowest >= 2) throw new Error(`slowest example: ${slowest.toFixed(2)} s; expected less than 2 s`)
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

type Size = { scale: number; threads: number }

async function exportWorld(home: string, file: string, { scale, threads }: Size): Promise<void> {
  const world = createWorld({ seed: 1, scale })
  await storeWorld(world, world.now, home)
  const lake = await openLake(home, { threads: 1, memory: '500MB' })
  const settings = { models: await loadScoring(), macros: await loadExplain(), columns, asOf: world.now }
  await publishAll(lake, { ...settings, threads, memory: '2GB', now: machineClock })
  const { bytes } = await exportAnalystsFile(lake.local, file, { force: false, threads: 1, memory: '1GB' })
  await lake.close()
  console.log(`${(bytes / 1e6).toFixed(0)} MB`)
}

/** Prints the seconds of each query, and returns the largest. */
async function measure(file: string, { threads, n_rounds }: { threads: string; n_rounds: number }): Promise<number> {
  const instance = await DuckDBInstance.create(file, { access_mode: 'READ_ONLY', threads })
  const connection = await instance.connect()
  const slowest: number[] = []
  for (const { name, sql } of await loadExamples()) {
    const runs: { cpu_s: number; took_s: number; n_rows: number }[] = []
    for (let round = 0; round < n_rounds; round++) {
      let n_rows = 0
      const took = await timed(async () => {
        n_rows = (await connection.runAndReadAll(sql)).currentRowCount
      })
      runs.push({ ...took, n_rows })
    }
    const cpu_s = median(runs.map((run) => run.cpu_s))
    const took_s = median(runs.map((run) => run.took_s))
    console.log(`${name} ${cpu_s.toFixed(2)} s (${took_s.toFixed(2)} s), ${runs[0]?.n_rows} rows`)
    slowest.push(cpu_s)
  }
  connection.closeSync()
  instance.closeSync()
  return Math.max(...slowest)
}
