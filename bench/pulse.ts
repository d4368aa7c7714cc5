import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { publish } from '#builder/publish.ts'
import { loadScoring } from '#scoring/index.ts'
import { createWorld } from '#sim/markets/world.ts'
import { serveWorld } from '#sim/server/server.ts'
import { ingestAll, openTestPipeline } from '#test/pipeline/pipeline.ts'
import { machineClock } from '#time.ts'

/**
 * The cost of a publication of the pulse compared with one of the scores, over the same simulated lake without
 * compaction: `npm run bench -- pulse [--scale 1] [--threads 2] [--memory 2GB] [--rounds 3]`. Scale 1 has
 * twice the demo's fills. The last line is `ratio pulse <scores / pulse>`, the median over the rounds.
 */
const { values } = parseArgs({
  options: {
    scale: { type: 'string', default: '1' },
    threads: { type: 'string', default: '2' },
    memory: { type: 'string', default: '2GB' },
    rounds: { type: 'string', default: '3' },
  },
})

async function compare(home: string): Promise<void> {
  const world = createWorld({ seed: 1, scale: Number(values.scale) })
  const upstream = await serveWorld({ world, clock: () => world.now })
  const pipeline = await openTestPipeline(home, upstream, () => world.now, { threads: Number(values.threads) })
  await ingestAll(pipeline, world.now)
  await upstream.close()
  console.log(`${(await pipeline.lake.storage.list('lake')).length} Parquet files`)

  const { threads, memory } = { threads: Number(values.threads), memory: values.memory }
  const models = await loadScoring()
  const settings = { models, macros: [], columns: {}, asOf: world.now, threads, memory, now: machineClock }
  const pulses: number[] = []
  const scores: number[] = []
  for (let round = 0; round < Number(values.rounds); round++) {
    pulses.push(await seconds(() => publish(pipeline.lake, 'pulse', settings)))
    scores.push(await seconds(() => publish(pipeline.lake, 'scores', settings)))
  }
  await pipeline.lake.close()
  print('pulse', pulses)
  print('scores', scores)
  // By round, since both sides of a round have the same load of the machine.
  const ratios = scores.map((took_s, round) => took_s / (pulses[round] ?? Number.NaN))
  console.log(`ratio pulse ${median(ratios).toFixed(1)}`)
}

const print = (publication: string, runs: readonly number[]): void =>
  console.log(
    `${publication.padEnd(6)} ${median(runs).toFixed(2)} s (${runs.map((took_s) => took_s.toFixed(2)).join(' ')})`,
  )

function median(numbers: readonly number[]): number {
  const [low = 0, high = 0] = [...numbers].sort((a, b) => a - b).slice((numbers.length - 1) >> 1)
  return numbers.length % 2 === 0 ? (low + high) / 2 : low
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const start_ms = performance.now()
  await work()
  return (performance.now() - start_ms) / 1000
}

const home = await mkdtemp(join(tmpdir(), 'tapeline-bench-'))
try {
  await compare(home)
} finally {
  await rm(home, { recursive: true, force: true })
}
