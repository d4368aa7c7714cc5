import { Gauge, Histogram, type Registry } from 'prom-client'

import type { Marts } from '#marts/marts.ts'
import { publicationNames } from '#marts/publications.ts'
import type { Clock } from '#time.ts'

/** Records the duration of a request. */
export type Observe = (of: { route: string; method: string; status: number; took_s: number }) => void

/** Registers the metrics of the service: requests by route and status, and the age of its snapshots. */
export function observeRequests(registry: Registry, marts: Marts, now: Clock): Observe {
  const requests = new Histogram({
    name: 'tapeline_http_request_seconds',
    help: 'Duration of requests in seconds, by route, method and status.',
    labelNames: ['route', 'method', 'status'],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
    registers: [registry],
  })
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
    name: 'tapeline_snapshot_fault',
    help: '1 while the newest published snapshot cannot be served.',
    registers: [registry],
    collect() {
      this.set(marts.fault() === null ? 0 : 1)
    },
  })
  return ({ route, method, status, took_s }) => requests.observe({ route, method, status }, took_s)
}
