import type { Logger } from 'pino'
import { Gauge, type Registry } from 'prom-client'

import type { Lake } from '#lake/lake.ts'

import { failingShare } from './rejection_rate.ts'
import { sourceStates, type SourceState } from './source_health.ts'

/** Registers the metrics of the sources; the returned function updates them. */
export function exposeSources(registry: Registry): (states: readonly SourceState[]) => void {
  const registers = [registry]
  const units = new Gauge({
    name: 'tapeline_source_units',
    help: 'Units by state',
    labelNames: ['source', 'state'],
    registers,
  })
  const rows = new Gauge({ name: 'tapeline_source_rows', help: 'Rows stored', labelNames: ['source'], registers })
  const rejected = new Gauge({
    name: 'tapeline_source_refused_share',
    help: 'Share of the last 2,000 rows that did not parse',
    labelNames: ['source'],
    registers,
  })
  const failing = new Gauge({
    name: 'tapeline_source_failing',
    help: `1 when more than ${100 * failingShare} % of the last rows did not parse`,
    labelNames: ['source'],
    registers,
  })
  const reaches = new Gauge({
    name: 'tapeline_source_reaches_seconds',
    help: 'The latest instant that the stored rows of a source reach, in seconds since 1970; its lag is time() minus it',
    labelNames: ['source'],
    registers,
  })
  return (states) => {
    for (const state of states) {
      const { source } = state
      for (const [name, n] of Object.entries(state.units)) units.set({ source, state: name }, n)
      rows.set({ source }, state.rows)
      rejected.set({ source }, state.refused_share)
      if (state.reaches !== null) reaches.set({ source }, Date.parse(state.reaches) / 1_000)
      failing.set({ source }, state.is_failing ? 1 : 0)
    }
  }
}

const every_ms = 15_000

/** Shows the states of the sources periodically. Returns the function that ends this. */
export function keepWatching(
  lake: Lake,
  { show, log }: { show: (states: readonly SourceState[]) => void; log: Logger },
): () => Promise<void> {
  let showing: Promise<void> | undefined
  const timer = setInterval(() => {
    // A slow reading takes the place of the next ones: a queue of readings would delay the end of the process.
    showing ??= sourceStates(lake)
      .then(show)
      .catch((error: unknown) => log.error({ err: error }, 'the metrics of the sources were not updated'))
      .finally(() => {
        showing = undefined
      })
  }, every_ms)
  return async () => {
    clearInterval(timer)
    await showing
  }
}
