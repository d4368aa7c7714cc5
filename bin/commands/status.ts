import { defineCommand } from '#bin/command_line/command.ts'
import { chainStates, describeChains, type ChainState } from '#bin/report/chain_states.ts'
import { closeGuards, describeGuards, type CloseGuard } from '#bin/report/close_guards.ts'
import { describeDisk, folderSizes } from '#bin/report/folder_sizes.ts'
import { describeLate, freshnessOf, type Freshness } from '#bin/report/freshness.ts'
import { gapsOf, type Gap } from '#bin/report/gaps.ts'
import { asJson, count } from '#bin/report/progress.ts'
import { withReadableHome } from '#bin/report/read_only_home.ts'
import { describePast, readRuns, type PastRun } from '#bin/report/run_history.ts'
import { describeRuns } from '#bin/report/runs.ts'
import { sourceStates, type SourceState } from '#bin/report/source_health.ts'
import { openEngine } from '#bin/wiring/engine.ts'
import { isAnalystsCopyHeld } from '#builder/analysts/copy.ts'
import { readMeta } from '#builder/build_meta.ts'
import type { Config } from '#config.ts'
import type { RunState } from '#engine/engine.ts'
import { readFollows } from '#lake/catalog/follows.ts'
import { diskUse, type SourceDisk } from '#lake/disk_use.ts'
import { openLake, type Lake } from '#lake/lake.ts'
import { latestSnapshot } from '#lake/snapshot.ts'
import { publicationNames } from '#snapshots/publications.ts'
import { currentSnapshot, snapshotPath } from '#snapshots/snapshot.ts'
import { diskSpace, type DiskSpace } from '#storage/disk_space.ts'
import { machineClock, SECOND } from '#time.ts'

/** `lag_s` is the age of its instant, `n_behind` the number of snapshots of the lake since its build. */
type PublicationState = { name: string; as_of: string; lag_s: number; n_behind: number }

type Status = {
  home: string
  world: string | null
  disk: DiskSpace
  /** The current snapshot of each publication; null before the first. */
  snapshots: Record<string, string | null>
  /** What each current snapshot was built from; a publication without one is left out. */
  publications: PublicationState[]
  analysts_copy: 'free' | 'held open for writing by a client'
  /** The tests of the closes in the served scores that are not held. */
  guards: CloseGuard[]
  /** Runs of this home, or of the Temporal server. */
  runs: RunState[]
  /** The chains that are read or stored. */
  chains: ChainState[]
  sources: SourceState[]
  /** The parts that a follow reads, which may have been killed. */
  followed: Freshness[]
  /** With `--disk`: the bytes of each folder of the home, and the data files of each source. */
  disk_use?: { folders: Record<string, number>; sources: SourceDisk[] }
  /** With `--gaps`: the units that are not complete. */
  gaps?: Gap[]
  /** With `--history`: the newest runs of commands that have ended, oldest first. */
  history?: PastRun[]
}

/**
 * `tapeline status`: shows how complete each source is. The exit code is 1 if a source is failing or was refused, and if
 * a followed part is late.
 */
export const status = defineCommand({
  reads: 'home',
  summary: 'Show the stored units, the missing units with reasons, the runs and the served snapshots.',
  define: (command) =>
    command
      .option('--json', 'Write JSON.')
      .option('--disk', 'Show the bytes of each folder of the home, and of each source with its growth in a day.')
      .option('--gaps', 'List every unit that is not complete, with its reason.')
      .option('--history', 'List the last 500 backfills, scores and maintenances of this home, and what each came to.'),
  run: async ({ json = false, ...asked }, config) => {
    const state = await withReadableHome(config, (readable) => statusOf(readable, config.home, asked))
    process.stdout.write(json ? asJson(state) : describe(state))
    const isWrong = state.sources.some(({ is_failing, refused_readings }) => is_failing || refused_readings > 0)
    return isWrong || state.followed.some(({ is_late }) => is_late) ? 1 : 0
  },
})

/** `home`: the home as the command names it. */
async function statusOf(
  config: Config,
  home: string,
  { gaps = false, history = false, disk = false }: { [name in 'gaps' | 'history' | 'disk']?: boolean | undefined },
): Promise<Status> {
  const { threads, memory, database, storage } = config
  const lake = await openLake(config.home, { threads, memory }, database, storage)
  const engine = await openEngine(config)
  try {
    return {
      home,
      world: (await lake.world()) ?? null,
      disk: await diskSpace(home),
      snapshots: await currentSnapshots(lake),
      publications: await publicationStates(lake),
      analysts_copy: (await isAnalystsCopyHeld(lake)) ? 'held open for writing by a client' : 'free',
      // The API reports a damaged file.
      guards: await closeGuards(lake.local).catch(() => []),
      runs: await engine.list(),
      chains: await chainStates(lake, config.readChains),
      sources: await sourceStates(lake, machineClock()),
      followed: freshnessOf(await readFollows(lake.catalog), machineClock() / 1_000),
      ...(disk ? { disk_use: await diskUseOf(lake, home) } : {}),
      ...(gaps ? { gaps: await gapsOf(lake) } : {}),
      ...(history ? { history: await readRuns(home) } : {}),
    }
  } finally {
    await engine.close()
    await lake.close()
  }
}

const diskUseOf = async ({ catalog }: Lake, home: string): Promise<Required<Status>['disk_use']> => ({
  folders: await folderSizes(home),
  sources: await diskUse(catalog, machineClock()),
})

async function currentSnapshots({ local }: Lake): Promise<Status['snapshots']> {
  const current = publicationNames().map(async (name) => [name, (await currentSnapshot(local, name)) ?? null] as const)
  return Object.fromEntries(await Promise.all(current))
}

async function publicationStates({ local, catalog }: Lake): Promise<PublicationState[]> {
  const [now, newest] = [machineClock(), await latestSnapshot(catalog)]
  const states = publicationNames().map(async (name): Promise<PublicationState[]> => {
    const id = await currentSnapshot(local, name)
    // The API reports a damaged file.
    if (id === undefined) return []
    const meta = await readMeta(local.locate(snapshotPath(id))).catch(() => undefined)
    if (meta === undefined) return []
    const lag_s = Math.max(0, Math.round((now - meta.asOf) / SECOND))
    return [{ name, as_of: new Date(meta.asOf / 1000).toISOString(), lag_s, n_behind: newest - meta.lakeSnapshot }]
  })
  return (await Promise.all(states)).flat()
}

function describe({
  home,
  world,
  disk,
  snapshots,
  publications,
  analysts_copy,
  guards,
  runs,
  chains,
  sources,
  followed,
  disk_use,
  gaps,
  history,
}: Status): string {
  const lines = [
    `home      ${home}`,
    `world     ${world ?? 'nothing stored yet'}`,
    `disk      ${disk.fault ?? `${(disk.free_bytes / 1e9).toFixed(1)} GB free`}`,
    ...Object.entries(snapshots).map(([name, id]) => {
      const state = publications.find((publication) => publication.name === name)
      const lag = state && `, ${count(state.lag_s)} s ago, ${count(state.n_behind)} snapshots of the lake behind`
      return `${name.padEnd(9)} ${id ?? 'none published yet'}${lag ?? ''}`
    }),
    `analysts' copy  ${analysts_copy}`,
    ...describeGuards(guards),
    ...(runs.length === 0 ? ['nothing is running'] : describeRuns(runs).map((line) => `running   ${line}`)),
    ...describeLate(followed),
    ...describeChains(chains),
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
    refused_readings,
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
    if (refused_readings > 0)
      lines.push(
        `  refused  ${count(refused_readings)} readings, which lack stored rows or values; the next backfill reads them again`,
      )
    for (const { reason, n_units } of reasons) lines.push(`  ${count(n_units)} units: ${reason}`)
  }
  if (disk_use !== undefined) lines.push('', 'disk', ...describeDisk(disk_use))
  if (gaps !== undefined) lines.push('', 'gaps', ...gaps.map(describeGap))
  if (history !== undefined) lines.push('', 'history', ...history.map((run) => `  ${describePast(run)}`))
  return `${lines.join('\n')}\n`
}

const describeGap = ({ unit, state, reason, checked_at }: Gap): string =>
  `  ${unit}  ${state}, read ${checked_at}${reason === null ? '' : `: ${reason}`}`
