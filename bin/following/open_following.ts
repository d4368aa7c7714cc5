import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

import type { Logger } from 'pino'

import type { Watched } from '#bin/report/source_metrics.ts'
import { pause } from '#engine/retry.ts'
import type { Micros } from '#time.ts'

import { errorOf, type Order, type Report } from './messages.ts'

type Settings = {
  since: Micros
  /** Is given the states of the sources periodically. */
  show: (watched: Watched) => void
  log: Logger
}

export type Following = {
  /** Resolves once all runs have started, and rejects if they cannot start. */
  started: Promise<void>
  /** Lets all runs and the process end. */
  close: () => Promise<void>
}

const entry = fileURLToPath(new URL('following_process.js', import.meta.url))
/** The pause before a process takes the place of one that died. */
const again_ms = 10_000

/**
 * Follows the venues in a process of its own, at a lower priority: neither rows nor builds delay the event loop of this
 * process, its readers, or its share of the processors. If the process dies once the runs have started, this is logged,
 * and another process continues them.
 */
export function openFollowing({ since, show, log }: Settings): Following {
  const closing = new AbortController()
  const start = () => startProcess(since, show)
  let current = start()
  const { started } = current

  const keep = async (): Promise<void> => {
    while (true) {
      const end = await current.ended
      if (closing.signal.aborted) return
      log.error(`the process that follows: ended with ${end}, starts again; expected it to run`)
      await pause(again_ms, closing.signal).catch(() => undefined)
      if (closing.signal.aborted) return
      current = start()
      current.started.catch((error: unknown) => log.error({ err: error }, 'the process that follows: not started'))
    }
  }

  const kept = started.then(keep, () => undefined)
  const close = async (): Promise<void> => {
    closing.abort()
    current.end()
    await current.ended
    await kept
  }
  return { started, close }
}

/** Starts the process. Its end is its exit code or signal. */
function startProcess(since: Micros, show: Settings['show']) {
  const child = fork(entry, [], {
    serialization: 'advanced',
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const send = (order: Order): void => {
    if (child.connected) child.send(order, () => undefined)
  }
  const ended = once(child, 'exit').then(([code, signal]) => String(signal ?? code))
  const started = new Promise<void>((resolve, reject) => {
    child.on('message', (report: Report) => {
      if (report.kind === 'following') resolve()
      else if (report.kind === 'refused') reject(errorOf(report))
      else show(report.watched)
    })
    child.on('error', reject)
    void ended.then((end) => reject(new Error(`the process that follows: ended with ${end}; expected it to run`)))
  })
  send({ kind: 'follow', since })
  return { started, ended, end: () => send({ kind: 'end' }) }
}
