import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

import { z } from 'zod'

import { fastClock } from '#sim/clock.ts'
import { machineClock, type Clock, type Micros } from '#time.ts'

import type { Announcement, Order, ThreadSettings } from './upstream_world.ts'

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
export type Upstream = Announcement & {
  clock: Clock
  /** Sets the clock to an instant, at which it stands. */
  set: (at: Micros) => Promise<void>
  run: () => void
  close: () => Promise<unknown>
}

/** Starts a simulated world in its own thread, so that it does not slow down the pipeline. */
export async function startUpstream(settings: ThreadSettings): Promise<Upstream> {
  const worker = new Worker(new URL('./upstream_thread.js', import.meta.url), { workerData: settings })
  const [first] = await once(worker, 'message')
  const announced = announcementShape.parse(first)
  let clock: Clock = () => announced.now
  const order = (message: Order): void => worker.postMessage(message)
  const set = async (at: Micros): Promise<void> => {
    const answered = once(worker, 'message')
    order({ at })
    await answered
    clock = () => at
  }
  const run = (): void => {
    order('run')
    clock = fastClock({ start: clock(), speed: settings.speed, machine: machineClock })
  }
  return { ...announced, clock: () => clock(), set, run, close: () => worker.terminate() }
}
