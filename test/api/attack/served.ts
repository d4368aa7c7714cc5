import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

import { z } from 'zod'

import type { Timeouts } from '#api/http/listen.ts'
import { loader } from '#test/run/loader.ts'

const started = z.object({
  port: z.number(),
  keys: z.object({ free: z.string(), pro: z.string(), enterprise: z.string() }),
})
const used = z.object({ rss: z.number(), cpu_ms: z.number(), n_connections: z.number() })

/** Starts a service in a process of its own, so that the load of a test does not delay it. */
export async function startServed(of: { isSlow?: boolean; timeouts?: Timeouts } = {}) {
  const child = fork(join(import.meta.dirname, 'worker.ts'), [JSON.stringify(of)], {
    execArgv: [...loader],
  })
  const next = async (): Promise<unknown> => (await once(child, 'message'))[0]
  return {
    ...started.parse(await next()),
    /** The resident memory of the process in bytes, the time of the processor that it took, and its connections. */
    used: async () => {
      const answered = next()
      child.send('used')
      return used.parse(await answered)
    },
    stop: async () => {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}
