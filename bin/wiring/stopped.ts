import { pino } from 'pino'

/** The time of a process from SIGTERM to its end, below the ten seconds after which a container is killed. */
const most_ms = 9_000

/**
 * Resolves at ^C or SIGTERM. A supervised process also stops when its standard input ends, since its supervisor is
 * gone. A process that has not ended nine seconds after SIGTERM is killed, which no store is harmed by: on a busy
 * machine its reports and statistics may take longer.
 */
export const untilStopped = ({ isSupervised = false } = {}): Promise<void> =>
  new Promise((resolve) => {
    process.once('SIGINT', resolve)
    process.once('SIGTERM', resolve)
    process.once('SIGTERM', () => void setTimeout(killThis, most_ms).unref())
    if (!isSupervised) return
    process.stdin.once('end', resolve).once('error', resolve).resume()
    // It does not keep the process.
    process.stdin.unref()
  })

function killThis(): void {
  // The log of a worker has lines of JSON alone.
  const log = pino({ base: null }, pino.destination({ dest: 2, sync: true }))
  log.warn(`not ended ${most_ms / 1_000} s after SIGTERM: killed; the next start continues its work`)
  process.kill(process.pid, 'SIGKILL')
}

/** The option of commands that a supervisor starts, and its description. */
export const supervised = ['--supervised', 'Show no progress, and end when the standard input ends.'] as const
