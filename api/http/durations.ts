import type { Histogram, Registry } from 'prom-client'

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
    const known = byRoute.get(route)?.get(method)?.get(status)
    if (known) return known
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
