import { defineCommand } from '#bin/command_line/command.ts'
import { instantOf, numberOf } from '#bin/command_line/values.ts'
import { count } from '#bin/report/progress.ts'
import { openEngine } from '#bin/wiring/engine.ts'
import { openPipeline } from '#bin/wiring/pipeline.ts'
import { score as scoreWorkflow } from '#workflows/score.ts'

const lakeSnapshotOf = numberOf('--lake-snapshot', { least: 0, most: Number.MAX_SAFE_INTEGER })

/** `tapeline score`: rebuilds all tables and publishes them. The same lake and instant give the same hashes. */
export const score = defineCommand({
  summary: 'Rebuild every table, as of now or of any past instant, and publish it.',
  define: (command) =>
    command
      .option('--as-of <instant>', 'Use only facts that were known at this instant.', instantOf('--as-of'))
      .option('--lake-snapshot <n>', 'Read this snapshot of the lake, while it is kept.', lakeSnapshotOf),
  run: async ({ asOf = null, lakeSnapshot }, config) => {
    const pipeline = await openPipeline(config)
    const engine = await openEngine(config, pipeline)
    try {
      const run = await engine.start(scoreWorkflow, {
        id: asOf === null ? 'score' : `score-${new Date(asOf / 1000).toISOString()}`,
        args: [{ asOf, ...(lakeSnapshot !== undefined && { lakeSnapshot }) }],
      })
      const scored = await run.result()
      for (const { name, n_rows, content_hash } of scored.tables) {
        process.stdout.write(`${name.padEnd(20)} ${count(n_rows).padStart(12)} rows  ${content_hash}\n`)
      }
      const { snapshot, lakeSnapshot: read } = scored
      const at = new Date(scored.asOf / 1000).toISOString()
      process.stdout.write(`published ${snapshot}, as of ${at}, from lake snapshot ${read}\n`)
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
