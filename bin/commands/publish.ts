import { defineCommand } from '#bin/command_line/command.ts'
import { numberOf } from '#bin/command_line/values.ts'
import { exposeBuilds } from '#bin/report/build_metrics.ts'
import { openMetricsFile } from '#bin/report/metrics_files.ts'
import { runEndless, stopEndless } from '#bin/wiring/endless.ts'
import { publishingId, startPublishing, stopPublishing } from '#bin/wiring/publish_plan.ts'
import { supervised, untilStopped } from '#bin/wiring/stopped.ts'

import { assertServer } from './follow.ts'

const secondsOf = numberOf('--scores-every', { least: 1, most: 86_400 })

/** `tapeline publish`: builds and publishes what is due, whenever the lake has newer facts. */
export const publish = defineCommand({
  summary: 'Follow the lake: build and publish the figures as it grows.',
  define: (command) =>
    command
      .option('--scores-every <seconds>', 'The least time between two builds of the scores; 300 by default.', secondsOf)
      .option('--stop', 'End the publications of a Temporal server.')
      .option(...supervised),
  run: async ({ scoresEvery, stop = false, supervised: isSupervised = false }, config) => {
    if (stop) {
      assertServer(config)
      await stopEndless(config, stopPublishing)
      return 0
    }
    const { home } = config
    const { registry, close } = await openMetricsFile(home, 'publish')
    try {
      await runEndless(
        config,
        {
          name: 'publish',
          firstId: publishingId,
          queue: 'score',
          isQuiet: isSupervised,
          options: { onBuild: exposeBuilds(registry) },
          start: (engine) => startPublishing(engine, scoresEvery === undefined ? undefined : scoresEvery * 1_000),
          ignored: scoresEvery === undefined ? '' : '--scores-every: ignored, since the publications run already\n',
        },
        untilStopped({ isSupervised }),
      )
    } finally {
      await close()
    }
    return 0
  },
})
