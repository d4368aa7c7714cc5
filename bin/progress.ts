import { startWorkflow, type WorkflowHandle } from '#engine/embedded.ts'
import { backfill, progress, type BackfillRequest, type Progress } from '#workflows/backfill.ts'

import type { House } from './house.ts'

/** Where progress is told: a terminal gets one living line, a pipe plain lines now and then. */
export type Teller = { isTerminal: boolean; write: (text: string) => void }

export const standardError: Teller = {
  isTerminal: process.stderr.isTTY === true,
  write: (text) => void process.stderr.write(text),
}

const everyMs = { terminal: 250, pipe: 5_000 }

/** Runs a backfill and tells how it goes: rate, done, left. */
export async function runBackfill(house: House, request: BackfillRequest, teller = standardError): Promise<Progress> {
  const handle = startWorkflow(backfill, { args: [request], activities: house.activities })
  return follow(handle, house, teller)
}

async function follow(handle: WorkflowHandle<Progress>, house: House, teller: Teller): Promise<Progress> {
  const begun_ms = performance.now()
  const line = (state: Progress): string =>
    describe(state, house.counts.requests, (performance.now() - begun_ms) / 1000)
  const timer = setInterval(
    () => {
      const state = handle.query(progress)
      if (state === undefined) return
      teller.write(teller.isTerminal ? `\r\u001b[2K${line(state)}` : `${line(state)}\n`)
    },
    teller.isTerminal ? everyMs.terminal : everyMs.pipe,
  )
  try {
    const state = await handle.result
    teller.write(`${teller.isTerminal ? '\r\u001b[2K' : ''}${line(state)}\n`)
    for (const { unit, reason } of state.failures) teller.write(`  failed ${unit}: ${reason}\n`)
    return state
  } finally {
    clearInterval(timer)
  }
}

function describe(state: Progress, requests: number, elapsed_s: number): string {
  const { source, units, rows, quarantined, failed, due } = state
  const left = Math.max(due - units - failed, 0)
  const rate = elapsed_s > 0 ? rows / elapsed_s : 0
  const parts = [
    `${source}: ${count(units)} of ${count(due)} units`,
    `${count(rows)} rows`,
    `${count(Math.round(rate))} rows/s`,
    `${count(requests)} requests`,
  ]
  if (quarantined > 0) parts.push(`${count(quarantined)} quarantined`)
  if (failed > 0) parts.push(`${count(failed)} failed`)
  if (left > 0 && units > 0) parts.push(`about ${count(Math.ceil((elapsed_s * left) / (units + failed)))} s left`)
  return parts.join(', ')
}

/** 1,234,567 */
export const count = (value: number): string => value.toLocaleString('en-US')
