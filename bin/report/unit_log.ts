import { pino } from 'pino'

import type { UnitLog, UnitReport } from '#ingest/report.ts'
import { machineClock, type Clock } from '#time.ts'

import { count } from './progress.ts'

/** The target of the lines; standard error by default. */
type LogOutput = { write: (line: string) => void; clock?: Clock }

/** A log of units: one line each, as JSON like the log of the service, or as text. */
export function openUnitLog(
  form: 'json' | 'text',
  { write, clock = machineClock }: LogOutput = { write: (line) => void process.stderr.write(line) },
): UnitLog {
  const now_ms = (): number => performance.now()
  if (form === 'text')
    return { now_ms, write: (report) => write(`${new Date(clock() / 1_000).toISOString()}  ${describeUnit(report)}\n`) }
  const log = pino({ base: null, timestamp: () => `,"time":${Math.floor(clock() / 1_000)}` }, { write })
  return { now_ms, write: (report) => (report.outcome === 'missing' ? log.warn(report) : log.info(report)) }
}

/** A report as a line of text. */
export function describeUnit({ unit, from, to, outcome, reason, ...figures }: UnitReport): string {
  const { rows, quarantined, bytes, requests, seconds } = figures
  const parts = [
    outcome,
    `${count(rows)} rows`,
    quarantined > 0 ? `${count(quarantined)} quarantined` : undefined,
    `${count(bytes)} bytes`,
    requests === null ? undefined : `${count(requests)} requests`,
    seconds === null ? undefined : `${seconds.toFixed(1)} s`,
  ].filter((part) => part !== undefined)
  const why = reason === null ? '' : `: ${reason.replaceAll(/\s+/g, ' ')}`
  return `${unit}  ${from} to ${to ?? 'the end of time'}  ${parts.join(', ')}${why}`
}
