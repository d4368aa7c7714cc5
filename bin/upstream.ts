import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

import { z } from 'zod'

import type { Clock } from '#lake/clock.ts'
import { fastClock } from '#sim/clock.ts'

import type { Announcement, ThreadSettings } from './upstream_world.ts'

const announcementShape = z.object({
  gammaUrl: z.string(),
  dataUrl: z.string(),
  clobUrl: z.string(),
  opensAt: z.number(),
  now: z.number(),
  endsAt: z.number(),
  n_markets: z.number(),
  n_traders: z.number(),
}) satisfies z.ZodType<Announcement>

/** A simulated venue that runs beside the pipeline, as a real one would. */
export type Upstream = Announcement & { clock: Clock; close: () => Promise<unknown> }

/** Starts a simulated world in a thread of its own, so that serving it does not slow down who reads it. */
export async function startUpstream(settings: ThreadSettings): Promise<Upstream> {
  const worker = new Worker(new URL('./upstream_thread.js', import.meta.url), { workerData: settings })
  const [message] = await once(worker, 'message')
  const announced = announcementShape.parse(message)
  // It starts after the thread's own, so that nobody here asks for an instant that the venue has not reached.
  const clock = fastClock({ start: announced.now, speed: settings.speed, machine: () => Date.now() * 1000 })
  return { ...announced, clock, close: () => worker.terminate() }
}
