import { defineCommand } from '#bin/command_line/command.ts'
import { gapsOf, type Gap } from '#bin/report/gaps.ts'
import { asJson, count } from '#bin/report/progress.ts'
import { withReadableHome } from '#bin/report/read_only_home.ts'
import { describePast, readRuns, type PastRun } from '#bin/report/run_history.ts'
import { describeRuns } from '#bin/report/runs.ts'
import { sourceStates, type SourceState } from '#bin/report/source_health.ts'
import { openEngine } from '#bin/wiring/engine.ts'
import { isAnalystsCopyHeld } from '#builder/analysts/copy.ts'
import type { Config } from '#config.ts'
import type { RunState } from '#engine/engine.ts'
import { openLake, type Lake } from '#lake/lake.ts'
import { publicationNames } from '#snapshots/publications.ts'
import { currentSnapshot } from '#snapshots/snapshot.ts'
import { diskSpace, type DiskSpace } from '#storage/disk_space.ts'
import { machineClock } from '#time.ts'

type Status = {
  home: string
  world: string | null
  disk: DiskSpace
  /** The current snapshot of each publication; null before the first. */
  snapshots: Record<string, string | null>
  analysts_copy: 'free' | 'held open for writing by a client'
  /** Runs of this home, or of the Temporal server. */
  runs: RunState[]
  sources: SourceState[]
  /** With `--gaps`: the units that are not complete. */
  gaps?: Gap[]
  /** With `--history`: the newest runs of commands that have ended, oldest first. */
  history?: PastRun[]
}

/** `tapeline status`: shows how complete each source is. The exit code is 1 if a source is failing. */
export const status = defineCommand({
  reads: 'home',
  summary: 'Show the stored units, the missing units with reasons, the runs and the served snapshots.',
  define: (command) =>
    command
      .option('--json', 'Write JSON.')
      .option('--gaps', 'List every unit that is not complete, with its reason.')
      .option('--history', 'List the last 500 backfills, scores and maintenances of this home, and what each came to.'),
  run: async ({ json = false, ...asked }, config) => {
    const found = await withReadableHome(config, (readable) => statusOf(readable, config.home, asked))
    process.stdout.write(json ? asJson(found) : describe(found))
    return found.sources.some(({ is_failing }) => is_failing) ? 1 : 0
  },
})

/** `home`: the home as the command names it. */
async function statusOf(
  config: Config,
  home: string,
  { gaps = false, history = false }: { gaps?: boolean | undefined; history?: boolean | undefined },
): Promise<Status> {
  const { threads, memory, database } = config
  const lake = await openLake(config.home, { threads, memory }, database)
  const engine = await openEngine(config)
  try {
    return {
      home,
      world: (await lake.world()) ?? null,
      disk: await diskSpace(home),
      snapshots: await currentSnapshots(lake),
      analysts_copy: (await isAnalystsCopyHeld(lake)) ? 'held open for writing by a client' : 'free',
      runs: await engine.list(),
      sources: await sourceStates(lake, machineClock()),
      ...(gaps ? { gaps: await gapsOf(lake) } : {}),
      ...(history ? { history: await readRuns(home) } : {}),
    }
  } finally {
    await engine.close()
    await lake.close()
  }
}

async function currentSnapshots({ storage }: Lake): Promise<Status['snapshots']> {
  const current = publicationNames().map(
    async (name) => [name, (await currentSnapshot(storage, name)) ?? null] as const,
  )
  return Object.fromEntries(await Promise.all(current))
}

function describe({ home, world, disk, snapshots, analysts_copy, runs, sources, gaps, history }: Status): string {
  const lines = [
    `home      ${home}`,
    `world     ${world ?? 'nothing stored yet'}`,
    `disk      ${disk.fault ?? `${(disk.free_bytes / 1e9).toFixed(1)} GB free`}`,
    ...Object.entries(snapshots).map(([name, id]) => `${name.padEnd(9)} ${id ?? 'none published yet'}`),
    `analysts' copy  ${analysts_copy}`,
    ...(runs.length === 0 ? ['nothing is running'] : describeRuns(runs).map((line) => `running   ${line}`)),
  ]
  for (const {
    source,
    units,
    rows,
    quarantined,
    reaches,
    read_at,
    rows_read,
    refused_share,
    is_failing,
    reasons,
  } of sources) {
    const states = Object.entries(units).map(([state, n]) => `${count(n)} ${state}`)
    lines.push('', `${source}${is_failing ? '  FAILING' : ''}`)
    const end = read_at === null ? '' : `, up to ${reaches ?? 'the end of each unit'}`
    lines.push(`  units  ${states.join(', ')}`, `  rows   ${count(rows)}${end}`)
    if (read_at !== null) lines.push(`  read   ${read_at}`)
    if (quarantined > 0) {
      const share = `${(100 * refused_share).toFixed(2)} % of the last ${count(rows_read)} rows read`
      lines.push(`  quarantined  ${count(quarantined)} rows; ${share}`)
    }
    for (const { reason, n_units } of reasons) lines.push(`  ${count(n_units)} units: ${reason}`)
  }
  if (gaps !== undefined) lines.push('', 'gaps', ...gaps.map(describeGap))
  if (history !== undefined) lines.push('', 'history', ...history.map((run) => `  ${describePast(run)}`))
  return `${lines.join('\n')}\n`
}

const describeGap = ({ unit, state, reason, checked_at }: Gap): string =>
  `  ${unit}  ${state}, read ${checked_at}${reason === null ? '' : `: ${reason}`}`
