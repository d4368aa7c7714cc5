import type { PublishResult } from '#activities/index.ts'
import { defineCommand } from '#bin/command_line/command.ts'
import { instantOf, numberOf, UsageError } from '#bin/command_line/values.ts'
import { asJson, count } from '#bin/report/progress.ts'
import { recordRun } from '#bin/report/run_history.ts'
import { besideWorkers } from '#bin/report/workers.ts'
import { openEngine } from '#bin/wiring/engine.ts'
import { openPipeline } from '#bin/wiring/pipeline.ts'
import { refuseForeignQueue } from '#bin/wiring/queue_guard.ts'
import { assertSnapshot } from '#lake/snapshot.ts'
import { materializing } from '#snapshots/publications.ts'
import { currentSnapshot } from '#snapshots/snapshot.ts'
import { machineClock } from '#time.ts'
import { score as scoreWorkflow } from '#workflows/score.ts'

const lakeSnapshotOf = numberOf('--lake-snapshot', { least: 0, most: Number.MAX_SAFE_INTEGER })

/**
 * `tapeline score`: rebuilds all tables and publishes them. The same lake and instant give the same hashes. Tables as
 * of a named instant or snapshot of the lake go to the analysts' file. A live API serves them only with `--serve`.
 */
export const score = defineCommand({
  summary: 'Rebuild every table, as of now or of any past instant, and publish it.',
  define: (command) =>
    command
      .option('--as-of <instant>', 'Use only facts that were known at this instant.', instantOf('--as-of'))
      .option('--lake-snapshot <n>', 'Read this snapshot of the lake, while it is kept.', lakeSnapshotOf)
      .option(
        '--serve',
        'Let the API serve the tables of a named instant or snapshot too; by default it keeps those that it has.',
      )
      .option('--json', 'Write the tables with their hashes as JSON.'),
  run: async ({ asOf = null, lakeSnapshot, serve = false, json = false }, config) => {
    if (asOf !== null && asOf > machineClock())
      throw new UsageError('--as-of: in the future; expected a past instant, or no --as-of for the present')
    const pipeline = await openPipeline(config)
    const engine = await openEngine(config, pipeline)
    try {
      await refuseForeignQueue(config, pipeline.lake)
      // The run would repeat the build for most of a minute before it says so.
      if (lakeSnapshot !== undefined) await assertSnapshot(pipeline.lake.catalog, lakeSnapshot)
      const isNamed = asOf !== null || lakeSnapshot !== undefined
      const scoreAll = async (): Promise<PublishResult> => {
        const run = await engine.start(scoreWorkflow, {
          queue: 'score',
          id: asOf === null ? 'score' : `score-${new Date(asOf / 1000).toISOString()}`,
          args: [
            {
              asOf,
              ...(lakeSnapshot !== undefined && { lakeSnapshot }),
              ...(isNamed && !serve && { keepServed: true }),
            },
          ],
        })
        return besideWorkers(engine, 'score', () => run.result())
      }
      const recorded = { home: config.home, clock: machineClock, command: 'score' }
      const scored = await recordRun(recorded, scoreAll, ({ tables }) => ({
        rows: tables.reduce((sum, { n_rows }) => sum + n_rows, 0),
      }))
      process.stdout.write(json ? asJson(scored) : describe(scored))
      const served = await currentSnapshot(pipeline.lake.local, materializing())
      if (served !== undefined && served !== scored.snapshot) {
        process.stderr.write(`not served: the API keeps ${served}; --serve replaces it\n`)
      }
      if (scored.analystsCopy === 'waiting') {
        process.stderr.write('tapeline.duckdb was not replaced: a client has it open for writing\n')
      }
      return 0
    } finally {
      await engine.close()
      await pipeline.close()
    }
  },
})

function describe({ tables, snapshot, asOf, lakeSnapshot }: PublishResult): string {
  const lines = tables.map(
    ({ name, n_rows, content_hash }) => `${name.padEnd(20)} ${count(n_rows).padStart(12)} rows  ${content_hash}`,
  )
  const at = new Date(asOf / 1000).toISOString()
  return [...lines, `published ${snapshot}, as of ${at}, from lake snapshot ${lakeSnapshot}`, ''].join('\n')
}
