import { compactedSources, DamagedFile, type Tended } from '#activities/maintain.ts'
import { readArgs, type Command } from '#bin/args.ts'
import { count } from '#bin/report/progress.ts'
import { openEngine } from '#bin/wiring/engine.ts'
import { dayMs, openHouse, type House } from '#bin/wiring/pipeline.ts'
import type { Config } from '#config.ts'
import { compactLake } from '#lake/compaction/compact.ts'
import { collectGarbage } from '#lake/compaction/vacuum.ts'
import { machineClock } from '#time.ts'
import { tend as tendWorkflow } from '#workflows/maintain.ts'

/** `tapeline tend`: joins the small files of the lake, as a follow does now and then. */
export const tend: Command = {
  usage: 'tend [--dry-run]',
  doc: 'Join small files of the lake, and remove those that were joined a day ago or earlier.',
  run: async (args, config) => {
    const { values } = readArgs(args, { 'dry-run': { type: 'boolean' } })
    const house = await openHouse(config)
    try {
      const tended = values['dry-run'] === true ? await dryRun(house) : await tendOn(config, house)
      const { joined, written, deleted } = tended
      process.stdout.write(`${count(joined)} files joined into ${count(written)}, ${count(deleted)} removed\n`)
      return 0
    } finally {
      await house.close()
    }
  },
}

async function tendOn(config: Config, house: House): Promise<Tended> {
  const engine = await openEngine(config, house)
  try {
    const run = await engine.start(tendWorkflow, { id: 'tend', args: [] })
    return await run.result()
  } finally {
    await engine.close()
  }
}

async function dryRun({ lake, sources }: House): Promise<Tended> {
  const now = machineClock()
  const { joins, n_files_joined } = await compactLake(lake, { sources: compactedSources(sources), now, dryRun: true })
  const { deleted, damaged } = await collectGarbage(lake, { now, keep_ms: dayMs, dryRun: true })
  for (const { folder, range, n_files, n_rows } of joins) {
    process.stdout.write(`would join ${count(n_files)} files of ${folder} ${range}: ${count(n_rows)} rows\n`)
  }
  if (damaged.length > 0) throw new DamagedFile(damaged)
  return { joined: n_files_joined, written: joins.length, deleted: deleted.length }
}
