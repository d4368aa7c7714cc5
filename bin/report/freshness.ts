import { Gauge, type Registry } from 'prom-client'

import type { Followed } from '#lake/catalog/follows.ts'

import { count } from './progress.ts'

/** How fresh a source of a followed part is. */
export type Freshness = {
  source: string
  part: string
  /** The expected seconds between two rounds, and the seconds since the last round that its upstream answered. */
  every_s: number
  age_s: number
  is_late: boolean
  /** The last rounds in a row without an answer. */
  failed_rounds: number
  /** Why it is late; null if it is not. */
  reason: string | null
}

/** A part is late after three rounds that are missed, and never within five minutes. */
const missedRounds = 3
const least_s = 300

/** The freshness of the followed parts at an instant of the machine; none where nothing is followed. */
export function freshnessOf(parts: readonly Followed[], now_ms: number): Freshness[] {
  const seen_ms = Math.max(...parts.map((part) => part.seen_ms))
  const limitOf = (every_s: number): number => Math.max(missedRounds * every_s, least_s)
  // A follow of several parts is seen with the most frequent of them.
  const isDead = (now_ms - seen_ms) / 1_000 > limitOf(Math.min(...parts.map(({ every_s }) => every_s)))
  return parts.map(({ source, part, every_s, began_ms, read_ms, failed_rounds, fault }): Freshness => {
    const age_s = Math.max(0, Math.round((now_ms - (read_ms ?? began_ms)) / 1_000))
    const is_late = age_s > limitOf(every_s)
    const reason = isDead
      ? `no follow has run since ${new Date(seen_ms).toISOString()}; expected \`tapeline start\` or \`tapeline follow\``
      : fault === null
        ? 'its round has not ended; `tapeline status` shows the run'
        : `${failed_rounds} failed rounds in a row: ${fault}`
    return { source, part, every_s, age_s, is_late, failed_rounds, reason: is_late ? reason : null }
  })
}

/** The late parts as lines of text. */
export const describeLate = (states: readonly Freshness[]): string[] =>
  states
    .filter(({ is_late }) => is_late)
    .map(
      ({ source, part, age_s, every_s, reason }) =>
        `late      ${source} ${part}: read ${count(age_s)} s ago; expected every ${count(every_s)} s: ${reason}`,
    )

/** Registers the metrics of the followed parts; the returned function updates them. */
export function exposeFreshness(registry: Registry): (states: readonly Freshness[]) => void {
  const gauge = (name: string, help: string) =>
    new Gauge({
      name: `tapeline_source_${name}`,
      help,
      labelNames: ['source', 'part'],
      registers: [registry],
      aggregator: 'max',
    })
  const metrics = {
    late: gauge('late', `1 when a followed part has missed ${missedRounds} rounds, and at least ${least_s} s`),
    every_s: gauge('expected_interval_seconds', 'The expected seconds between two rounds of a followed part'),
    age_s: gauge('age_seconds', 'The seconds since the last round that the upstream of a followed part answered'),
    failed_rounds: gauge('failed_rounds', 'The last rounds in a row of a followed part without an answer'),
  }
  return (states) => {
    for (const metric of Object.values(metrics)) metric.reset()
    for (const { source, part, is_late, every_s, age_s, failed_rounds } of states) {
      const values = { late: is_late ? 1 : 0, every_s, age_s, failed_rounds }
      for (const name of ['late', 'every_s', 'age_s', 'failed_rounds'] as const)
        metrics[name].set({ source, part }, values[name])
    }
  }
}
