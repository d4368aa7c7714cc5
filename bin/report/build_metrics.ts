import { Counter, Gauge, type Registry } from 'prom-client'

import type { OnBuild } from '#activities/publish_newer.ts'

/** Registers the metrics of builds; the returned function takes each build. */
export function exposeBuilds(registry: Registry): OnBuild {
  const base = { labelNames: ['publication'], registers: [registry] }
  const builds = new Counter({ name: 'tapeline_builds_total', help: 'Publications of this process', ...base })
  const failures = new Counter({ name: 'tapeline_build_failures_total', help: 'Builds that failed', ...base })
  const seconds = new Gauge({ name: 'tapeline_build_seconds', help: 'The time of the last build', ...base })
  const reached = new Gauge({
    name: 'tapeline_build_as_of_seconds',
    help: 'The instant of the last build, in seconds since 1970',
    ...base,
  })
  return ({ publication, took_s, asOf }) => {
    if (asOf === null) return failures.inc({ publication })
    builds.inc({ publication })
    seconds.set({ publication }, took_s)
    reached.set({ publication }, asOf / 1_000_000)
  }
}
