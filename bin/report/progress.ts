import type { Run } from '#engine/engine.ts'
import { progress, type Progress } from '#workflows/backfill.ts'

/** Where progress is told: a terminal gets one living line, a pipe plain lines now and then. */
export type Output = { isTerminal: boolean; write: (text: string) => void }

export const standardError: Output = {
  isTerminal: process.stderr.isTTY === true,
  write: (text) => void process.stderr.write(text),
}

const everyMs = { terminal: 250, pipe: 5_000 }

/**
 * Waits for a backfill and tells how it goes: rate, done, left. `requests` counts those of this process; undefined where
 * others do the work.
 */
export async function reportBackfill(
  run: Pick<Run<Progress>, 'result' | 'query'>,
  requests: (() => number) | undefined,
  teller = standardError,
): Promise<Progress> {
  const begun_ms = performance.now()
  const line = (state: Progress): string => describe(state, requests?.(), (performance.now() - begun_ms) / 1000)
  const tell = async (): Promise<void> => {
    // A worker that does not answer now does the next time.
    const state = await run.query(progress).catch(() => undefined)
    if (state === undefined || isDone) return
    teller.write(teller.isTerminal ? `\r\u001b[2K${line(state)}` : `${line(state)}\n`)
  }
  let isDone = false
  const timer = setInterval(() => void tell(), teller.isTerminal ? everyMs.terminal : everyMs.pipe)
  try {
    const state = await run.result()
    isDone = true
    teller.write(`${teller.isTerminal ? '\r\u001b[2K' : ''}${line(state)}\n`)
    for (const { unit, reason } of state.failures) teller.write(`  failed ${unit}: ${reason}\n`)
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
  if (left > 0 && units > 0) parts.push(`about ${count(Math.ceil((elapsed_s * left) / (units + failed)))} s left`)
  return parts.join(', ')
}

/** 1,234,567 */
export const count = (value: number): string => value.toLocaleString('en-US')
