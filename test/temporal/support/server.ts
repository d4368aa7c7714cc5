import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { Connection } from '@temporalio/client'

import { findTemporal } from '#scripts/temporal/find.ts'
import { freePort } from '#test/run/free_port.ts'

/** A Temporal server of its own, on the loopback interface, that keeps its state in a file. */
export type TemporalServer = {
  address: string
  /** Kills it as a power cut would, and starts it anew: same port, same state. Resolves when it answers. */
  restart: () => Promise<void>
  stop: () => Promise<void>
}

/** The path of the command; undefined where there is none. */
export const command = await findTemporal()

/** Starts a development server. Its only namespace is `default`. */
export async function startTemporal(): Promise<TemporalServer> {
  if (command === undefined) throw new Error('there is no command temporal: npx tsx scripts/temporal.ts builds it')
  const folder = await mkdtemp(join(tmpdir(), 'tapeline-temporal-'))
  const port = await freePort()
  const address = `127.0.0.1:${port}`
  const start = async (): Promise<ChildProcess> => {
    const where = ['--ip', '127.0.0.1', '--port', String(port), '--db-filename', join(folder, 'temporal.db')]
    for (let n_ended = 0; ; n_ended += 1) {
      // Its log reports every task of a killed worker, so only its last lines are useful.
      const child = spawn(command, ['server', 'start-dev', '--headless', '--log-level', 'never', ...where], {
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      process.once('exit', () => child.kill('SIGKILL'))
      if (await answers(address, child)) return child
      // The server gives itself some seconds to start, which on a busy machine do not suffice.
      if (n_ended === 20) throw new Error(`temporal: it ended ${n_ended} times before it answered on ${address}`)
    }
  }
  let child = await start()
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
  return {
    address,
    restart: async () => {
      await kill()
      child = await start()
    },
    stop: async () => {
      await kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Waits until the server knows its namespace, since it listens before it can serve; false if it ends before. */
async function answers(address: string, child: ChildProcess): Promise<boolean> {
  while (child.exitCode === null && child.signalCode === null) {
    try {
      const connection = await Connection.connect({ address, connectTimeout: 1_000 })
      try {
        await connection.workflowService.describeNamespace({ namespace: 'default' })
        return true
      } finally {
        await connection.close()
      }
    } catch {
      await sleep(50)
    }
  }
  return false
}
