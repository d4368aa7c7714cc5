import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

import { z } from 'zod'

import { fastClock } from '#sim/clock.ts'
import { machineClock, type Clock } from '#time.ts'

import type { Announcement, ThreadSettings } from './upstream_world.ts'

const announcementShape = z.object({
  hosts: z.record(z.string(), z.string()),
  worldName: z.string(),
  opensAt: z.number(),
  now: z.number(),
  endsAt: z.number(),
  n_markets: z.number(),
  n_traders: z.number(),
}) satisfies z.ZodType<Announcement>

/** A simulated venue that runs beside the pipeline, as a real one would. Its clock is stopped until `run`. */
export type Upstream = Announcement & { clock: Clock; run: () => void; close: () => Promise<unknown> }

/** Starts a simulated world in its own thread, so that it does not slow down the pipeline. */
export async function startUpstream(settings: ThreadSettings): Promise<Upstream> {
  const worker = new Worker(new URL('./upstream_thread.js', import.meta.url), { workerData: settings })
  const [message] = await once(worker, 'message')
  const announced = announcementShape.parse(message)
  let clock: Clock = () => announced.now
  const run = (): void => {
    worker.postMessage('run')
    clock = fastClock({ start: announced.now, speed: settings.speed, machine: machineClock })
  }
  return { ...announced, clock: () => clock(), run, close: () => worker.terminate() }
}
