import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

import { expect, onTestFinished } from 'vitest'

import { loader } from '#test/run/loader.ts'

/** Starts a worker; it has begun when this returns. */
export async function startWorker(args: readonly string[]): Promise<ChildProcess> {
  const child = spawn(process.execPath, [...loader, 'test/ingest/planted/worker.ts', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])
  return child
}

/** Runs a worker and kills it some time after it has begun; true when it was killed before it was done. */
export async function runAndKill(args: readonly string[], after_ms: number): Promise<boolean> {
  const child = await startWorker(args)
  const ended = once(child, 'exit')
  if (after_ms !== Infinity) {
    await Promise.race([sleep(after_ms), ended])
    child.kill('SIGKILL')
  }
  const [code, signal] = await ended
  if (signal !== 'SIGKILL') expect(code).toBe(0)
  return signal === 'SIGKILL'
}
