import { runEndless } from '#bin/wiring/endless.ts'
import { publishingId, startPublishing } from '#bin/wiring/publish_plan.ts'
import { untilStopped } from '#bin/wiring/stopped.ts'
import { parseConfig } from '#config.ts'
import { fastClock } from '#sim/clock.ts'
import { machineClock, type Micros } from '#time.ts'

/** The settings of the home, and the clock of the demo's world: its instant at one of the machine, and its speed. */
export type PublisherSettings = {
  environment: Record<string, string>
  at: Micros
  machineAt: Micros
  speed: number
  keepSnapshots_ms: number
}

/** The time between two builds of the scores is shorter than that of real ones, since the world's time is faster. */
const SCORES_EVERY_MS = 20_000

/**
 * `tapeline publish` for the home of a demo, in the time of its world. `publisher_process.js` starts it, with its
 * settings as JSON.
 */
const { environment, at, machineAt, speed, keepSnapshots_ms } = JSON.parse(process.argv[2] ?? '') as PublisherSettings
const start = Math.round(at + (machineClock() - machineAt) * speed)
await runEndless(
  parseConfig(environment),
  {
    name: 'publish',
    firstId: publishingId,
    queue: 'score',
    isQuiet: true,
    options: { clock: fastClock({ start, speed, machine: machineClock }), speed, keepSnapshots_ms },
    start: (engine) => startPublishing(engine, SCORES_EVERY_MS),
    ignored: '',
  },
  untilStopped({ isSupervised: true }),
)
