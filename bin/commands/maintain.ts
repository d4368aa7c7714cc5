import { compactedSources, DamagedFile, type MaintenanceResult } from '#activities/maintain.ts'
import { defineCommand } from '#bin/command_line/command.ts'
import { count } from '#bin/report/progress.ts'
import { openEngine } from '#bin/wiring/engine.ts'
import { dayMs, openPipeline, type Pipeline } from '#bin/wiring/pipeline.ts'
import type { Config } from '#config.ts'
import { compactLake } from '#lake/compaction/compact.ts'
import { vacuum } from '#lake/compaction/vacuum.ts'
import { machineClock } from '#time.ts'
import { maintain as maintainWorkflow } from '#workflows/maintain.ts'

/** `tapeline maintain`: compacts the lake once, as a follow does on a schedule. */
export const maintain = defineCommand({
  summary: 'Compact small files of the lake, and delete files that were superseded at least a day ago.',
  define: (command) => command.option('--dry-run', 'Show the files to compact and to delete, and change nothing.'),
  run: async ({ dryRun: isDryRun = false }, config) => {
    const pipeline = await openPipeline(config)
    try {
      const done = isDryRun ? await dryRun(pipeline) : await maintainNow(config, pipeline)
      const { files_compacted, files_written, files_deleted } = done
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
    return await run.result()
  } finally {
    await engine.close()
  }
}

async function dryRun({ lake, sources }: Pipeline): Promise<MaintenanceResult> {
  const now = machineClock()
  const { joins, n_files_joined } = await compactLake(lake, { sources: compactedSources(sources), now, dryRun: true })
  const { deleted, damaged } = await vacuum(lake, { now, keep_ms: dayMs, dryRun: true })
  for (const { folder, range, n_files, n_rows } of joins) {
    process.stdout.write(`would compact ${count(n_files)} files of ${folder} ${range}: ${count(n_rows)} rows\n`)
  }
  if (damaged.length > 0) throw new DamagedFile(damaged)
  return { files_compacted: n_files_joined, files_written: joins.length, files_deleted: deleted.length }
}
