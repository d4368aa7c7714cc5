import { median, type InProcess } from './own_process.ts'

/** Seconds of a piece of work: those of the processor, and those that passed. */
export type Timed = { cpu_s: number; took_s: number }

/** One run of a side of a benchmark. The note follows its figures. */
export type Measured = Timed & { note: string }
export type Run = InProcess<Measured>

export async function timed(work: () => Promise<unknown>): Promise<Timed> {
  const [before, start_ms] = [process.cpuUsage(), performance.now()]
  await work()
  const { user, system } = process.cpuUsage(before)
  return { cpu_s: (user + system) / 1e6, took_s: (performance.now() - start_ms) / 1000 }
}

/** Prints the median seconds of a side and its peak memory; with a unit of its `n` rows also their rate. */
export function printSide(side: string, runs: readonly Run[], rows?: { n: number; unit: string }): void {
  const cpu_s = median(runs.map((run) => run.cpu_s))
  const took_s = median(runs.map((run) => run.took_s)).toFixed(1)
  const peak_gb = Math.max(...runs.map((run) => run.peak_gb)).toFixed(1)
  const rate = rows === undefined ? '' : `, ${Math.round(rows.n / cpu_s).toLocaleString('en')} ${rows.unit}/s`
  const note = runs[0]?.note ?? ''
  console.log(`${side} ${cpu_s.toFixed(1)} s of the processor (${took_s} s)${rate}, peak memory ${peak_gb} GB${note}`)
}

/**
 * The ratio of the seconds of two sides in each round, since both sides of a round have the same load of the machine.
 */
export const ratioOf = (runs: readonly Run[], others: readonly Run[]): number =>
  median(runs.map(({ cpu_s }, round) => cpu_s / (others[round]?.cpu_s ?? Number.NaN)))
