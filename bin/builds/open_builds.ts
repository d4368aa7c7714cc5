import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

import type { Build, PublishResult } from '#activities/building.ts'
import type { Clock } from '#time.ts'

import { fromSent, type BuildSettings, type Order, type Outcome } from './messages.ts'

/** Builds in a process of their own. */
export type Builds = {
  build: Build
  /** The id of the process of the next build; undefined before the first and after a fault. */
  pid: () => number | undefined
  /** Aborts all builds and ends the process. */
  close: () => Promise<void>
}

type Waiting = { resolve: (result: PublishResult) => void; reject: (error: Error) => void }
type Worker = { child: ChildProcess; waiting: Map<number, Waiting> }

const entry = fileURLToPath(new URL('build_process.js', import.meta.url))

/**
 * Opens the builds of a home. Builds and the memory that they need leave the event loop and the memory of this process
 * alone. The process starts at once, since loading takes longer than a small build. It runs all builds; once it holds
 * more than `most_bytes` at rest, it ends, and another one takes its place. Its death fails its builds.
 */
export function openBuilds(
  settings: BuildSettings,
  { clock, most_bytes }: { clock: Clock; most_bytes: number },
): Builds {
  let worker: Worker | undefined
  let n_builds = 0
  let isClosed = false
  const workers = new Set<Worker>()

  const start = (): Worker => {
    const child = fork(entry, [], { serialization: 'advanced', execArgv: [] })
    const mine: Worker = { child, waiting: new Map() }
    child.on('message', (outcome: Outcome) => {
      const { id, rss } = outcome
      const { resolve, reject } = mine.waiting.get(id) ?? {}
      mine.waiting.delete(id)
      if ('result' in outcome) resolve?.(outcome.result)
      else reject?.(fromSent(outcome.error))
      if (rss !== null && rss > most_bytes) retire(mine)
    })
    const fail = (why: string) => {
      workers.delete(mine)
      if (worker === mine) worker = undefined
      for (const { reject } of mine.waiting.values())
        reject(new Error(`the process of builds: ${why}; expected it to run`))
      mine.waiting.clear()
    }
    child.on('error', (error) => fail(error.message))
    child.on('exit', (code, signal) => fail(`ended with ${signal ?? code}`))
    workers.add(mine)
    send(mine, { kind: 'open', settings })
    return mine
  }

  const retire = (old: Worker) => {
    if (old.waiting.size > 0 || isClosed) return
    if (worker === old) worker = start()
    send(old, { kind: 'end' })
  }

  const build: Build = (request, cancelled) => {
    if (isClosed) return Promise.reject(new DOMException('the builds have ended', 'AbortError'))
    worker ??= start()
    const own = worker
    const id = ++n_builds
    const cancel = () => send(own, { kind: 'cancel', id })
    return new Promise<PublishResult>((resolve, reject) => {
      own.waiting.set(id, { resolve, reject })
      cancelled?.addEventListener('abort', cancel)
      send(own, { kind: 'build', id, request, clock: clock() })
      if (cancelled?.aborted === true) cancel()
    }).finally(() => cancelled?.removeEventListener('abort', cancel))
  }

  const close = async () => {
    isClosed = true
    const ended = [...workers].map(async (one) => {
      send(one, { kind: 'end' })
      if (one.child.exitCode === null && one.child.signalCode === null) await once(one.child, 'exit')
    })
    await Promise.all(ended)
  }
  worker = start()
  return { build, pid: () => worker?.child.pid, close }
}

/** A process that has just died rejects its builds when its end is reported. */
const send = ({ child }: Worker, order: Order): void => {
  if (child.connected) child.send(order, () => undefined)
}
