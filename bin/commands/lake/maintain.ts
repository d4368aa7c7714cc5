import { minAge_s, type MaintenanceResult } from '#activities/maintain.ts'
import { defineCommand } from '#bin/command_line/command.ts'
import { asJson, count } from '#bin/report/progress.ts'
import { recordRun } from '#bin/report/run_history.ts'
import { openEngine } from '#bin/wiring/engine.ts'
import { dayMs, openPipeline, type Pipeline } from '#bin/wiring/pipeline.ts'
import type { Config } from '#config.ts'
import { compactLake } from '#lake/compaction/compact.ts'
import { vacuum } from '#lake/compaction/vacuum.ts'
import { machineClock } from '#time.ts'
import { maintain as maintainWorkflow } from '#workflows/maintain.ts'

/** `tapeline maintain`: compacts the lake once, as a follow does on a schedule. */
export const maintain = defineCommand({
  reads: 'home',
  summary: 'Compact small files of the lake, and delete files that were superseded at least a day ago.',
  define: (command) =>
    command
      .option('--dry-run', 'Show the files to compact and to delete, and change nothing.')
      .option('--json', 'Write the result as JSON.'),
  run: async ({ dryRun: isDryRun = false, json = false }, config) => {
    const pipeline = await openPipeline(config)
    try {
      const done = isDryRun ? await dryRun(pipeline) : { ...(await maintainNow(config, pipeline)), merges: [] }
      const { merges, ...counts } = done
      if (json) {
        process.stdout.write(asJson(isDryRun ? done : counts))
        return 0
      }
      for (const { dataset, source, n_files, n_rows } of merges) {
        process.stdout.write(
          `would compact ${count(n_files)} files of ${dataset} from ${source}: ${count(n_rows)} rows\n`,
        )
      }
      const { files_compacted, files_written, files_deleted } = counts
      process.stdout.write(
        `${count(files_compacted)} files compacted into ${count(files_written)}, ${count(files_deleted)} deleted\n`,
      )
      return 0
    } finally {
      await pipeline.close()
    }
  },
})

async function maintainNow(config: Config, pipeline: Pipeline): Promise<MaintenanceResult> {
  const engine = await openEngine(config, pipeline)
  try {
    const run = await engine.start(maintainWorkflow, { id: 'maintain', args: [] })
    const recorded = { home: config.home, clock: machineClock, command: 'maintain' }
    return await recordRun(
      recorded,
      () => run.result(),
      () => ({}),
    )
  } finally {
    await engine.close()
  }
}

type Planned = MaintenanceResult & { merges: { dataset: string; source: string; n_files: number; n_rows: number }[] }

async function dryRun({ lake }: Pipeline): Promise<Planned> {
  const now = machineClock()
  const { merges, n_files_merged } = await compactLake(lake, { now, minAge_s, dryRun: true })
  const { deleted } = await vacuum(lake, { now, keep_ms: dayMs, dryRun: true })
  return { files_compacted: n_files_merged, files_written: merges.length, files_deleted: deleted.length, merges }
}
