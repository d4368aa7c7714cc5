import { defineCommand } from '#bin/command_line/command.ts'
import { instantOf, portOf } from '#bin/command_line/values.ts'
import { openFollowing } from '#bin/following/open_following.ts'
import { exposeSources } from '#bin/report/source_metrics.ts'
import { followedSince } from '#bin/wiring/follow_plan.ts'
import { openService, untilStopped } from '#bin/wiring/service.ts'

import { listenOn } from './serve.ts'

/** `tapeline start`: serves the marts, and follows the venues and rebuilds the marts in processes of their own. */
export const start = defineCommand({
  summary: 'Follow the venues, score and serve.',
  define: (command) =>
    command
      .option('--port <n>', 'Listen on this port; 0 takes any free one.', portOf)
      .option(
        '--from <instant>',
        'Read markets that were open at or after this instant; 30 days ago by default.',
        instantOf('--from'),
      ),
  run: async ({ port, from }, config) => {
    const stopped = untilStopped()
    const since = followedSince(from)
    const service = await openService({ ...config, listen: listenOn(port, config) })
    try {
      const show = exposeSources(service.registry)
      const following = openFollowing({ since, show, log: service.log })
      try {
        const serving = following.started.then(() => {
          process.stdout.write(`serving ${service.url}/v1\n`)
          return stopped
        })
        await Promise.race([serving, stopped])
      } finally {
        await following.close()
      }
      return 0
    } finally {
      await service.close()
    }
  },
})
