import { createBuild, type BuildTools } from '#activities/building.ts'
import { openLake } from '#lake/lake.ts'
import { machineClock } from '#time.ts'

import { loadModels } from './build_here.ts'
import { toSent, type BuildSettings, type Order, type Outcome } from './messages.ts'

/**
 * The process that builds for another one, which `build_process.js` starts. It ends with that one, and at its order. It
 * ignores ^C, which a terminal sends to both.
 */
const running = new Map<number, AbortController>()
let tools: Promise<Omit<BuildTools, 'clock'>> | undefined
let speed = 1

const open = async (settings: BuildSettings): Promise<Omit<BuildTools, 'clock'>> => {
  const { home, threads, memory, database, keepSnapshots_ms, signalSecret } = settings
  return {
    lake: await openLake(home, { threads, memory }, database ?? undefined),
    ...(await loadModels()),
    now: machineClock,
    threads,
    memory,
    ...(keepSnapshots_ms === null ? {} : { keepSnapshots_ms }),
    ...(signalSecret === null ? {} : { signalSecret: async () => Buffer.from(signalSecret) }),
  }
}

const build = async ({ id, request, clock }: Extract<Order, { kind: 'build' }>): Promise<void> => {
  const cancelling = new AbortController()
  running.set(id, cancelling)
  const begun = machineClock()
  const worldClock = () => clock + Math.round((machineClock() - begun) * speed)
  const done = await outcomeOf(async () => {
    if (tools === undefined) throw new Error('the process of builds: not opened; expected its settings first')
    return createBuild({ ...(await tools), clock: worldClock })(request, cancelling.signal)
  })
  running.delete(id)
  process.send?.({ id, rss: running.size === 0 ? process.memoryUsage().rss : null, ...done } satisfies Outcome)
}

const outcomeOf = <T>(work: () => Promise<T>) =>
  work().then(
    (result) => ({ result }),
    (error: unknown) => ({ error: toSent(error) }),
  )

/** Aborts the builds, so that they release their leases, closes the lake and ends the process. */
const end = async (): Promise<void> => {
  for (const cancelling of running.values()) cancelling.abort(new DOMException('the builds end', 'AbortError'))
  while (running.size > 0) await new Promise((resolve) => setTimeout(resolve, 10))
  const { lake } = (await tools?.catch(() => undefined)) ?? {}
  await lake?.close()
  process.disconnect()
}

process.on('message', (order: Order) => {
  if (order.kind === 'open') {
    speed = order.settings.speed
    tools = open(order.settings)
    // The first build reports a failure.
    tools.catch(() => undefined)
  } else if (order.kind === 'build') void build(order)
  else if (order.kind === 'cancel')
    running.get(order.id)?.abort(new DOMException('the build was cancelled', 'AbortError'))
  else void end()
})
process.on('SIGINT', () => undefined)
// After the end of the other process no caller waits for a build; the next builder takes over its lease.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
