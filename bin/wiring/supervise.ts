import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setPriority } from 'node:os'

import { pause } from '#engine/retry.ts'

/** A command that runs as a process of its own. `nice` is its priority, as of the command `nice`. */
export type Child = { name: string; args: readonly string[]; nice?: number }

/** The exit code of a command with invalid settings, which another start would not change. */
const INVALID = 2
/** A process that ran for so long has begun. The pauses before the next start are short then. */
const LASTING_MS = 10_000
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 4_000
/** A process that never began fails so often before all end. */
const MOST_FAILURES = 5
/** The time of a process from the signal to its end. */
const GRACE_MS = 8_000

/**
 * Runs commands until `stopped`, and starts again what dies. They share nothing but the home, and end by themselves if
 * this process is killed, since their standard input ends. Ends with an error if a command is invalid, or fails each
 * time it is started.
 *
 * @returns the exit code
 */
export async function supervise(children: readonly Child[], stopped: Promise<void>): Promise<number> {
  const ending = new AbortController()
  void stopped.then(() => ending.abort())
  const kept = children.map((child) => keep(child, ending.signal).finally(() => ending.abort()))
  return Math.max(...(await Promise.all(kept)))
}

/** Runs a command, again and again. Returns the exit code once all are to end. */
async function keep(child: Child, ending: AbortSignal): Promise<number> {
  let [failures, hasBegun] = [0, false]
  while (!ending.aborted) {
    const begun_ms = performance.now()
    const end = await run(child, ending)
    if (ending.aborted) break
    const isLasting = performance.now() - begun_ms >= LASTING_MS
    hasBegun ||= isLasting
    failures = isLasting ? 1 : failures + 1
    const isFailing = end !== 0 && !hasBegun && failures >= MOST_FAILURES
    if (typeof end === 'number' && (end === INVALID || isFailing)) {
      process.stderr.write(`${child.name}: ended with ${end}; the other processes end too\n`)
      return end
    }
    const pause_ms = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS)
    process.stderr.write(`${child.name}: ended with ${end}; it starts again in ${pause_ms / 1_000} s\n`)
    await pause(pause_ms, ending).catch(() => undefined)
  }
  return 0
}

/** Runs a process until its end or `ending`. Returns its exit code, or the signal that ended it. */
async function run({ args, nice }: Child, ending: AbortSignal): Promise<number | string> {
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'inherit', 'inherit'] })
  const ended = once(child, 'exit') as Promise<[code: number | null, signal: string | null]>
  if (nice !== undefined && child.pid !== undefined) lowerPriority(child.pid, nice)
  const end = async (): Promise<void> => {
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), GRACE_MS)
    await ended.finally(() => clearTimeout(timer))
  }
  const onEnding = (): void => void end().catch(() => undefined)
  ending.addEventListener('abort', onEnding, { once: true })
  try {
    const [code, signal] = await ended
    return signal ?? code ?? 'no exit code'
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    ending.removeEventListener('abort', onEnding)
  }
}

/** Lowers the priority of a new process. Its threads inherit it, since it has not begun any yet. */
function lowerPriority(pid: number, nice: number): void {
  try {
    setPriority(pid, nice)
  } catch {
    // It has ended already.
  }
}
