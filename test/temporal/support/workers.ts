import { spawn } from 'node:child_process'
import { once } from 'node:events'

import type { SimulatedWorld } from '#bin/wiring/simulated_hosts.ts'
import { loader } from '#test/run/loader.ts'

export type WorkerSettings = { home: string; address: string; upstream: SimulatedWorld; at: number }

/** A worker in a process of its own. */
export type WorkerProcess = {
  /** As a power cut would. Resolves when it has ended, also where it had before. */
  kill: () => Promise<void>
  /** Suspends the process, which does not notice it. */
  freeze: () => void
  thaw: () => void
}

/** Starts a worker and waits until it is about to ask for work. */
export const startWorker = ({ home, address, upstream, at }: WorkerSettings): Promise<WorkerProcess> =>
  startProcess('test/temporal/support/worker.ts', [home, address, JSON.stringify(upstream), String(at)])

/** Starts the script of a worker, which prints a line before it asks for work. */
export async function startProcess(script: string, settings: readonly string[]): Promise<WorkerProcess> {
  const args = [...loader, script, ...settings]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  const end = (): void => void child.kill('SIGKILL')
  process.once('exit', end)
  void ended.then(() => process.removeListener('exit', end))
  await Promise.race([once(child.stdout, 'data'), ended])
  if (child.exitCode !== null) throw new Error(`a worker ended with ${child.exitCode} before it had begun`)
  return {
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
  }
}
