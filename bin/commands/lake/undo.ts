import { defineCommand } from '#bin/command_line/command.ts'
import { UsageError } from '#bin/command_line/values.ts'
import { asJson, count } from '#bin/report/progress.ts'
import { readRuns, type PastRun } from '#bin/report/run_history.ts'
import type { Config } from '#config.ts'
import { openLake, type Lake } from '#lake/lake.ts'
import { replacedBefore, replacedIn, undo as undoReading, type Replaced } from '#lake/undo.ts'
import { sources } from '#sources/index.ts'

/** `tapeline undo`: brings back what a reading or a run replaced. */
export const undo = defineCommand({
  reads: 'home',
  summary: 'Bring back the stored rows that the last reading of a unit, or a backfill, has replaced.',
  define: (command) =>
    command
      .argument('<unit-or-run>', 'The path of a unit, or the begin of a backfill as `status --history` shows it.')
      .option('--dry-run', 'Show what would be brought back, and change nothing.')
      .option('--json', 'Write the result as JSON.'),
  run: async ({ dryRun: isDryRun = false, json = false }, config, [name]) => {
    const { home, threads, memory, database, storage } = config
    const lake = await openLake(home, { threads, memory }, database, storage)
    try {
      const replaced = name.includes('/') ? [await unitReplaced(lake, name)] : await runReplaced(lake, config, name)
      if (!isDryRun) for (const reading of replaced) await undoReading(lake, reading)
      const units = replaced.map(({ unit, n_rows, former }) => ({
        unit,
        rows: n_rows,
        former_rows: former.n_rows,
        former_state: former.state,
        former_read_at: new Date(former.checked_at / 1000).toISOString(),
      }))
      process.stdout.write(json ? asJson({ is_dry_run: isDryRun, units }) : describe(units, isDryRun))
      return 0
    } finally {
      await lake.close()
    }
  },
})

type Undone = { unit: string; rows: number; former_rows: number; former_state: string; former_read_at: string }

function describe(units: readonly Undone[], isDryRun: boolean): string {
  const lines = units.map(
    ({ unit, rows, former_rows, former_state, former_read_at }) =>
      `${unit}: ${count(rows)} rows ${isDryRun ? 'would become' : 'became'} ${count(former_rows)}, ` +
      `${former_state}, read ${former_read_at}`,
  )
  const total = `${count(units.length)} units ${isDryRun ? 'would be' : 'are'} as before`
  return [...lines, total].map((line) => `${line}\n`).join('')
}

function unitReplaced(lake: Lake, unit: string): Promise<Replaced> {
  assertPlanned(unit, unit.slice(0, unit.indexOf('/')))
  return replacedBefore(lake, unit)
}

/** An hour of a stream is rewritten every few seconds, from a cursor that does not go back. */
function assertPlanned(asked: string, name: string): void {
  if (sources.find((source) => source.name === name)?.kind === 'stream')
    throw new UsageError(`${asked}: ${name} is a stream; expected a unit or a run of another source`)
}

async function runReplaced(lake: Lake, { home }: Config, began: string): Promise<Replaced[]> {
  const runs = await readRuns(home)
  const asked = runs.filter((run) => run.began_at === began)
  if (asked.length === 0)
    throw new UsageError(`run ${began}: unknown; expected the path of a unit, or ${expectedOf(runs)}`)
  const replaced: Replaced[] = []
  for (const { command, source, began_at, ended_at } of asked) {
    if (source === null) throw new UsageError(`run ${began}: a run of ${command}; expected a backfill`)
    const [from, to] = [Date.parse(began_at) * 1_000, Date.parse(ended_at) * 1_000]
    replaced.push(...(await replacedIn(lake, { source, from, to })))
  }
  return replaced
}

function expectedOf(runs: readonly PastRun[]): string {
  const last = runs.findLast(({ source }) => source !== null)
  return last === undefined
    ? 'a backfill of this home, which has none'
    : `the begin of a backfill, such as ${last.began_at}`
}
