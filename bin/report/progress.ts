import type { Run } from '#engine/engine.ts'
import { progress, type Progress } from '#workflows/backfill.ts'

/** The output of progress. A terminal gets one line that changes; a pipe gets a line every few seconds. */
export type Output = { isTerminal: boolean; write: (text: string) => void }

export const standardError: Output = {
  isTerminal: process.stderr.isTTY === true,
  write: (text) => void process.stderr.write(text),
}

const everyMs = { terminal: 250, pipe: 5_000 }

type ReportOptions = {
  /** Precedes each line, such as `[2/6] `. */
  step?: string
  /** Counts the requests of this process; absent if other processes send the requests. */
  requests?: () => number
  /** Why the last request has failed; null if it has not. */
  fault?: () => string | null
  output?: Output
}

/** Waits for a backfill and reports its progress: the units done, the rate and the remaining time. */
export async function reportBackfill(
  run: Pick<Run<Progress>, 'result' | 'query'>,
  { step = '', requests, fault, output = standardError }: ReportOptions = {},
): Promise<Progress> {
  const begun_ms = performance.now()
  const line = (state: Progress): string =>
    `${step}${describe(state, requests?.(), (performance.now() - begun_ms) / 1000)}`
  const report = async (): Promise<void> => {
    // A worker that does not respond now may respond to the next query.
    const state = await run.query(progress).catch(() => undefined)
    if (state === undefined || isDone) return
    const why = fault?.() ?? null
    const text = `${line(state)}${why === null ? '' : `: ${why}`}`
    output.write(output.isTerminal ? `\r\u001b[2K${text}` : `${text}\n`)
  }
  let isDone = false
  const timer = setInterval(() => void report(), output.isTerminal ? everyMs.terminal : everyMs.pipe)
  try {
    const state = await run.result()
    isDone = true
    output.write(`${output.isTerminal ? '\r\u001b[2K' : ''}${line(state)}\n`)
    for (const { unit, reason, isRefused = false } of state.failures)
      output.write(`  ${isRefused ? 'refused' : 'failed'} ${unit}: ${reason}\n`)
    return state
  } finally {
    isDone = true
    clearInterval(timer)
  }
}

function describe(state: Progress, requests: number | undefined, elapsed_s: number): string {
  const { source, units, rows, quarantined, failed, due } = state
  const left = Math.max(due - units - failed, 0)
  const rate = elapsed_s > 0 ? rows / elapsed_s : 0
  const parts = [
    `${source}: ${count(units)} of ${count(due)} units`,
    `${count(rows)} rows`,
    `${count(Math.round(rate))} rows/s`,
  ]
  if (requests !== undefined) parts.push(`${count(requests)} requests`)
  if (state.isPaused) parts.push('paused')
  if (quarantined > 0) parts.push(`${count(quarantined)} quarantined`)
  if (failed > 0) parts.push(`${count(failed)} failed`)
  if (left > 0 && units > 0) parts.push(`about ${duration((elapsed_s * left) / (units + failed))} left`)
  return parts.join(', ')
}

/** 1,234,567 */
export const count = (value: number): string => value.toLocaleString('en-US')

/** 90 s, 15 min, 36 h: in whole units, rounded up. */
export function duration(seconds: number): string {
  const [unit, size] =
    seconds < 120 ? (['s', 1] as const) : seconds < 7_200 ? (['min', 60] as const) : (['h', 3_600] as const)
  return `${count(Math.ceil(seconds / size))} ${unit}`
}

/** A result as indented JSON with a line break. */
export const asJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`
