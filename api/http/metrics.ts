import type { IncomingMessage, ServerResponse } from 'node:http'

import type { Logger } from 'pino'
import { Counter, Gauge, type Registry, type Histogram } from 'prom-client'

import type { Marts } from '#snapshots/marts.ts'
import { publicationNames } from '#snapshots/publications.ts'
import type { Clock } from '#time.ts'

import type { RequestContext } from './request.ts'

/** Counts and logs a request that has ended. */
export type Observe = (context: RequestContext, req: IncomingMessage, res: ServerResponse) => void

const methods = new Set(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'])

/**
 * Registers the metrics of the service: requests by route and status, and the age of its snapshots. Paths, queries and
 * headers are not logged, since callers put keys into them by mistake.
 */
export function observeRequests(parts: { registry: Registry; marts: Marts; now: Clock; log: Logger }): Observe {
  const { registry, log } = parts
  const record = openDurations(registry, {
    name: 'tapeline_http_request_seconds',
    help: 'Duration of requests in seconds, by route, method and status.',
  })
  const aborted = new Counter({
    name: 'tapeline_http_aborted_total',
    help: 'Requests whose client left before the end of the response, by route and method. Ended streams are among them.',
    labelNames: ['route', 'method'],
    registers: [registry],
  })
  registerGauges(parts)
  return (
    { id, began_ms, route, isHit, caller },
    { method: requestMethod = '' },
    { statusCode, destroyed, writableFinished },
  ) => {
    const took_ms = performance.now() - began_ms
    const method = methods.has(requestMethod) ? requestMethod : 'other'
    // A response that was not sent has no status, and its time is that of the client.
    const isAborted = destroyed && !writableFinished
    if (isAborted) aborted.inc({ route, method })
    else record(route, method, statusCode, took_ms / 1_000)
    const status = isAborted ? 'aborted' : statusCode
    if (!log.isLevelEnabled('info')) return
    log.info({ id, method: requestMethod, route, status, took_ms, isHit, account_id: caller?.account_id })
  }
}

const registerGauges = ({ registry, marts, now }: { registry: Registry; marts: Marts; now: Clock }) => {
  new Gauge({
    name: 'tapeline_snapshot_age_seconds',
    help: 'Seconds since the current snapshot was published, by publication; no value before the first.',
    labelNames: ['publication'],
    registers: [registry],
    collect() {
      for (const publication of publicationNames()) {
        const snapshot = marts.current(publication)
        if (snapshot) this.set({ publication }, (now() - snapshot.publishedAt) / 1_000_000)
      }
    },
  })
  new Gauge({
    name: 'tapeline_markets_unpriced',
    help: 'Open markets that lists leave out, since no price of them is known, by platform.',
    labelNames: ['platform'],
    registers: [registry],
    async collect() {
      const pulse = marts.current('pulse')
      if (!pulse?.tables.has('pm_unpriced')) return
      this.reset()
      for (const { platform, n_open } of await pulse.query('select platform, n_open from marts.pm_unpriced')) {
        this.set({ platform: String(platform) }, Number(n_open))
      }
    },
  })
  new Gauge({
    name: 'tapeline_snapshot_fault',
    help: '1 while the newest published snapshot is damaged or missing.',
    registers: [registry],
    collect() {
      this.set(marts.isDamaged() ? 1 : 0)
    },
  })
}

/** Upper bounds of the buckets, in seconds. */
const bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5]

type Series = { labels: { route: string; method: string; status: number }; counts: number[]; sum: number }

/**
 * Registers a histogram of durations in seconds by route, method and status, and returns the function that records.
 * prom-client's own histogram hashes the labels of each observation, which costs as much as authentication. This one
 * finds its series by identity of the strings, and writes prom-client's format when it is read.
 */
export function openDurations(
  registry: Registry,
  { name, help }: { name: string; help: string },
): (route: string, method: string, status: number, seconds: number) => void {
  const byRoute = new Map<string, Map<string, Map<number, Series>>>()
  const all: Series[] = []

  const seriesOf = (route: string, method: string, status: number): Series => {
    const cachedSeries = byRoute.get(route)?.get(method)?.get(status)
    if (cachedSeries) return cachedSeries
    const series = { labels: { route, method, status }, counts: Array<number>(bounds.length + 1).fill(0), sum: 0 }
    const ofRoute = byRoute.get(route) ?? new Map<string, Map<number, Series>>()
    const ofMethod = ofRoute.get(method) ?? new Map<number, Series>()
    byRoute.set(route, ofRoute.set(method, ofMethod.set(status, series)))
    all.push(series)
    return series
  }

  const get = async () => ({ name, help, type: 'histogram', aggregator: 'sum', values: all.flatMap(valuesOf) })

  const valuesOf = ({ labels, counts, sum }: Series) => {
    const n = counts.reduce((total, count) => total + count, 0)
    let below = 0
    const buckets = [...bounds, '+Inf'].map((le, i) => {
      below += counts[i] ?? 0
      return { labels: { le, ...labels }, value: below, metricName: `${name}_bucket` }
    })
    return [
      ...buckets,
      { labels, value: sum, metricName: `${name}_sum` },
      { labels, value: n, metricName: `${name}_count` },
    ]
  }

  // A registry reads the name and `get` of a metric.
  registry.registerMetric({ name, get } as unknown as Histogram)
  return (route, method, status, seconds) => {
    const series = seriesOf(route, method, status)
    let bucket = 0
    while (bucket < bounds.length && seconds > (bounds[bucket] ?? 0)) bucket++
    series.counts[bucket] = (series.counts[bucket] ?? 0) + 1
    series.sum += seconds
  }
}
