import { findSource } from '#activities/index.ts'
import { defineCommand } from '#bin/command_line/command.ts'
import { asJson, count, standardError } from '#bin/report/progress.ts'
import { openPipeline } from '#bin/wiring/pipeline.ts'
import { reparse as reparseSource } from '#ingest/reparse.ts'
import { sources } from '#sources/index.ts'

/** `tapeline reparse`: reads a source again from its stored responses, without the network. */
export const reparse = defineCommand({
  reads: 'home',
  summary: 'Read a source again from the stored responses, without the network.',
  define: (command) =>
    command
      .addArgument(command.createArgument('<source>', 'The source.').choices(sources.map((source) => source.name)))
      .option('--json', 'Write the result as JSON.'),
  run: async ({ json = false }, config, [name]) => {
    const pipeline = await openPipeline(config)
    try {
      const source = findSource(pipeline.sources, name)
      const tally = await reparseSource(pipeline.lake, source, (done, total) => {
        if (standardError.isTerminal)
          standardError.write(`\r\u001b[2K${source.name}: ${count(done)} of ${count(total)} units`)
      })
      if (standardError.isTerminal) standardError.write('\r\u001b[2K')
      process.stdout.write(
        json
          ? asJson({ source: source.name, ...tally })
          : `${source.name}: ${count(tally.units)} units, ${count(tally.rows)} rows, ${count(tally.quarantined)} quarantined\n`,
      )
      for (const { unit, reason } of tally.failed) process.stderr.write(`  failed ${unit}: ${reason}\n`)
      if (tally.units + tally.failed.length === 0) {
        process.stderr.write(`${source.name}: no raw responses are stored; expected a backfill without KEEP_RAW=0\n`)
      }
      return tally.failed.length > 0 ? 1 : 0
    } finally {
      await pipeline.close()
    }
  },
})
