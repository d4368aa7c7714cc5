import type { Logger } from 'pino'
import { Counter, Gauge, type Registry } from 'prom-client'

import type { HttpCounts } from '#ingest/http/http.ts'
import { readFollows } from '#lake/catalog/follows.ts'
import { diskUse, type SourceDisk } from '#lake/disk_use.ts'
import type { Lake } from '#lake/lake.ts'
import { machineClock, type Clock } from '#time.ts'

import { exposeFreshness, freshnessOf, type Freshness } from './freshness.ts'
import { lookEvery } from './look_every.ts'
import { failingShare } from './rejection_rate.ts'
import { sourceStates, type SourceState } from './source_health.ts'

/** The states of the sources and their data files, how fresh followed parts are, and the requests to upstreams. */
export type Watched = {
  states: readonly SourceState[]
  disk: readonly SourceDisk[]
  freshness: readonly Freshness[]
  counts: HttpCounts
}

/** Registers the metrics of the sources and their upstreams; the returned function updates them. */
export function exposeSources(registry: Registry): (watched: Watched) => void {
  const setCounts = exposeRequests(registry)
  const setFreshness = exposeFreshness(registry)
  // Each process that watches a lake shows the same states.
  const gauge = (name: string, help: string, labelNames = ['source']) =>
    new Gauge({ name: `tapeline_source_${name}`, help, labelNames, registers: [registry], aggregator: 'max' })
  const units = gauge('units', 'Units by state', ['source', 'state'])
  const rows = gauge('rows', 'Rows stored')
  const rejected = gauge('refused_share', 'Share of the last 2,000 rows that did not parse')
  const failing = gauge('failing', `1 when more than ${100 * failingShare} % of the last rows did not parse`)
  const refused = gauge('refused_readings', 'Units whose last reading lacks stored rows or values, which stay')
  const reaches = gauge(
    'reaches_seconds',
    'The latest instant that the stored rows of a source reach, in seconds since 1970',
  )
  const read = gauge('read_seconds', 'The last reading of a source that did not fail, in seconds since 1970')
  const lag = gauge('lag_seconds', 'The age of the latest instant that the stored rows of a source reach')
  const bytes = gauge('bytes', 'Bytes of the data files, current or replaced and still kept', ['source', 'files'])
  return ({ states, disk, freshness, counts }) => {
    setCounts(counts)
    setFreshness(freshness)
    // A state without units, and an instant that a source has no more, are not among the new values.
    for (const metric of [units, reaches, read, lag, bytes]) metric.reset()
    for (const state of states) {
      const { source } = state
      for (const [name, n] of Object.entries(state.units)) units.set({ source, state: name }, n)
      rows.set({ source }, state.rows)
      rejected.set({ source }, state.refused_share)
      if (state.reaches !== null) reaches.set({ source }, Date.parse(state.reaches) / 1_000)
      if (state.read_at !== null) read.set({ source }, Date.parse(state.read_at) / 1_000)
      if (state.lag_s !== null) lag.set({ source }, state.lag_s)
      failing.set({ source }, state.is_failing ? 1 : 0)
      refused.set({ source }, state.refused_readings)
    }
    for (const { source, bytes: current, replaced_bytes } of disk) {
      bytes.set({ source, files: 'current' }, current)
      bytes.set({ source, files: 'replaced' }, replaced_bytes)
    }
  }
}

const every_ms = 15_000

/** Registers the counts of the requests to upstreams; the returned function updates them. */
function exposeRequests(registry: Registry): (counts: HttpCounts) => void {
  const helps = {
    requests: 'Requests to upstreams, with repetitions',
    bytes: 'Bytes of the bodies of upstreams',
    retries: 'Repeated requests to upstreams',
    throttled: 'Responses of upstreams with status 429',
  } as const
  const names = Object.keys(helps) as (keyof typeof helps)[]
  const counters = names.map((name) => {
    const counter = new Counter({ name: `tapeline_upstream_${name}_total`, help: helps[name], registers: [registry] })
    return { name, counter }
  })
  const answers = new Counter({
    name: 'tapeline_upstream_answers_total',
    help: 'Requests to upstreams by host and status; the status is 0 without a whole response',
    labelNames: ['host', 'status'],
    registers: [registry],
  })
  return (counts) => {
    for (const { name, counter } of counters) {
      counter.reset()
      counter.inc(counts[name])
    }
    answers.reset()
    for (const [host, statuses] of counts.answers)
      for (const [status, n] of statuses) answers.inc({ host, status: String(status) }, n)
  }
}

/** Shows the sources of a lake periodically. Returns the function that ends this. */
export function keepWatching(
  { lake, counts, clock = machineClock }: { lake: Lake; counts: HttpCounts; clock?: Clock },
  { show, log }: { show: (watched: Watched) => void; log: Logger },
): () => Promise<void> {
  const look = async (): Promise<void> => {
    const states = await sourceStates(lake, clock())
    const disk = await diskUse(lake.catalog, machineClock())
    show({ states, disk, freshness: freshnessOf(await readFollows(lake.catalog), machineClock() / 1_000), counts })
  }
  const note = (error: unknown): void => log.error({ err: error }, 'the metrics of the sources were not updated')
  return lookEvery(every_ms, look, note).end
}
