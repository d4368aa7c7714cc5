import { readArgs, UsageError, type Command } from '#bin/args.ts'
import { reportRuns } from '#bin/report/runs.ts'
import { reportUnfollowed } from '#bin/report/source_health.ts'
import { endWith, openEngine } from '#bin/wiring/engine.ts'
import { followedSince, startFollowing, stopFollowing } from '#bin/wiring/follow_plan.ts'
import { openPipeline } from '#bin/wiring/pipeline.ts'
import { untilStopped } from '#bin/wiring/service.ts'
import { refuseForeignWorld } from '#bin/wiring/world_guard.ts'
import type { Config } from '#config.ts'
import type { Engine } from '#engine/engine.ts'
import type { Micros } from '#time.ts'

/** `tapeline follow`: reads what happens as it happens, and rebuilds the marts. */
export const follow: Command = {
  usage: 'follow [--from X] [--stop]',
  doc: 'Follow the venues and score; markets that lived in the last 30 days, or since X. --stop: on a Temporal server, end it.',
  run: async (args, config) => {
    const { values } = readArgs(args, { from: { type: 'string' }, stop: { type: 'boolean' } })
    if (values['stop'] === true) {
      if (config.temporal === undefined)
        throw new UsageError('--stop needs TEMPORAL_ADDRESS; without it ^C ends a follow')
      return stop(config)
    }
    const since = followedSince(values['from'])
    const ending = new AbortController()
    const pipeline = await openPipeline(config, { signal: ending.signal })
    try {
      await refuseForeignWorld(pipeline.lake, config.hosts, pipeline.sources)
      reportUnfollowed(config.hosts, pipeline.sources)
      const engine = await openEngine(config, pipeline)
      try {
        await followOn(engine, config, { since, isGiven: values['from'] !== undefined })
      } finally {
        await endWith(ending, engine)()
      }
      return 0
    } finally {
      await pipeline.close()
    }
  },
}

/** Starts what following is where it does not run yet, and tells how it goes until ^C. */
async function followOn(
  engine: Engine,
  { temporal }: Config,
  { since, isGiven }: { since: Micros; isGiven: boolean },
): Promise<void> {
  const runs = await startFollowing(engine, since)
  if (isGiven && runs.some(({ isOld }) => isOld)) {
    process.stderr.write('it is followed already, and goes on as it was begun: --from changes nothing\n')
  }
  if (temporal !== undefined) {
    process.stderr.write('following on the server: ^C ends this view of it, `tapeline follow --stop` the following\n')
  }
  const stopTelling = reportRuns(engine)
  await untilStopped()
  await stopTelling()
}

async function stop(config: Config): Promise<number> {
  const engine = await openEngine(config)
  try {
    const ended = await stopFollowing(engine)
    process.stdout.write(ended.length === 0 ? 'nothing was followed\n' : `ended ${ended.join(', ')}\n`)
    return 0
  } finally {
    await engine.close()
  }
}
