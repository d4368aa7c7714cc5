import { fork } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The peak memory of a process in gigabytes, beside its own measures. */
export type InProcess<T> = T & { peak_gb: number }

/** Runs a side of a benchmark in a process of its own, with the same options, so that its memory is measured alone. */
export function inOwnProcess<T>(benchmark: string, side: string): Promise<InProcess<T>> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(benchmark), [...process.argv.slice(2), '--side', side])
    child.on('message', (run) => resolve(run as InProcess<T>))
    child.on('exit', (code) => reject(new Error(`${side}: exit code ${code} without a result; expected a result`)))
  })
}

/** The other end: measures in an empty folder, and sends the result. */
export async function measureHere<T extends object>(work: (folder: string) => Promise<T>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tapeline-bench-'))
  try {
    const run = await work(folder)
    process.send?.({ ...run, peak_gb: process.resourceUsage().maxRSS / 1e6 })
  } finally {
    await rm(folder, { recursive: true })
  }
}

export function median(numbers: readonly number[]): number {
  const [low = 0, high = 0] = [...numbers].sort((a, b) => a - b).slice((numbers.length - 1) >> 1)
  return numbers.length % 2 === 0 ? (low + high) / 2 : low
}
