import { compactLake } from '#lake/compact.ts'
import { collectGarbage } from '#lake/gc.ts'
import { machineClock } from '#lake/clock.ts'
import { compactedSources, DamagedFile, type Tended } from '#activities/tend.ts'
import type { Config } from '#config.ts'
import { tend as tendWorkflow } from '#workflows/tend.ts'

import { openEngine } from './engine.ts'
import { dayMs, openHouse, type House } from './house.ts'
import { count } from './progress.ts'
import { readArgs, type Command } from './usage.ts'

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
