import { defineCommand } from '#bin/command_line/command.ts'
import { instantOf, UsageError } from '#bin/command_line/values.ts'
import { openMetricsFile } from '#bin/report/metrics_files.ts'
import { reportUnfollowed } from '#bin/report/source_health.ts'
import { exposeSources, keepWatching } from '#bin/report/source_metrics.ts'
import { runEndless, stopEndless, type Endless } from '#bin/wiring/endless.ts'
import { followedSince, requestedId, startFollowing, stopFollowing, usualPace } from '#bin/wiring/follow_plan.ts'
import { storeShippedAssets } from '#bin/wiring/shipped_assets.ts'
import { supervised, untilStopped } from '#bin/wiring/stopped.ts'
import type { Config } from '#config.ts'
import { forgetFollows } from '#lake/catalog/follows.ts'
import { openLake } from '#lake/lake.ts'
import { machineClock, type Micros } from '#time.ts'

/** `tapeline follow`: reads events as they happen. */
export const follow = defineCommand({
  summary: 'Follow the venues: store events as they happen.',
  define: (command) =>
    command
      .option(
        '--from <instant>',
        'Read markets that were open at or after this instant; 30 days ago by default.',
        instantOf('--from'),
      )
      .option('--stop', 'End the follow of a Temporal server.')
      .option(...supervised),
  run: async ({ from, stop = false, supervised: isSupervised = false }, config) => {
    if (stop) {
      assertServer(config)
      await stopEndless(config, stopFollowing)
      await forgetFollowed(config)
      return 0
    }
    const since = followedSince(from)
    const stopped = untilStopped({ isSupervised })
    await runEndless(config, followOf(config, { since, isGiven: from !== undefined, isSupervised }), stopped)
    return 0
  },
})

/** Throws without a server, where ^C ends the runs of a command. */
export function assertServer({ temporal }: Pick<Config, 'temporal'>): void {
  if (temporal === undefined) throw new UsageError('--stop: no server; expected TEMPORAL_ADDRESS (without it ^C ends)')
}

type Given = { since: Micros; isGiven: boolean; isSupervised: boolean }

const followOf = (config: Config, { since, isGiven, isSupervised }: Given): Endless => ({
  name: 'follow',
  firstId: requestedId,
  queue: 'ingest',
  isQuiet: isSupervised,
  start: async (engine, { lake, sources }) => {
    await storeShippedAssets(lake, machineClock())
    await forgetFollows(lake.catalog)
    reportUnfollowed(config.hosts, sources)
    return startFollowing(engine, since, usualPace, sources)
  },
  ignored: isGiven ? '--from: ignored, since a follow is running; its own start stays in force\n' : '',
  beside: async (pipeline) => {
    const { registry, log, close } = await openMetricsFile(config.home, 'follow')
    const endWatch = keepWatching(pipeline, { show: exposeSources(registry), log })
    return async () => {
      await endWatch()
      await close()
    }
  },
  ended: ({ lake }) => forgetFollows(lake.catalog),
})

/** A follow that was ended on purpose is not late. */
async function forgetFollowed({ home, threads, memory, database, storage }: Config): Promise<void> {
  const lake = await openLake(home, { threads, memory }, database, storage)
  try {
    await forgetFollows(lake.catalog)
  } finally {
    await lake.close()
  }
}
