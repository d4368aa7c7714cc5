import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { Connection } from '@temporalio/client'

import { findTemporal } from '#scripts/temporal/find.ts'

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
    // Its log reports every task of a killed worker, so only its last lines are useful.
    const child = spawn(command, ['server', 'start-dev', '--headless', '--log-level', 'never', ...where], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    process.once('exit', () => child.kill('SIGKILL'))
    await untilItAnswers(address, child)
    return child
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

/**
 * A port that is free, from below those that the system hands out: the server asks the system for more of them before
 * it listens on its own, and panics when it is given that one.
 */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000)
    const server = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false))
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
    })
    if (isFree) return port
  }
}

/** It listens before it can serve: it is up when it knows its namespace. */
async function untilItAnswers(address: string, child: ChildProcess): Promise<void> {
  for (let n = 0; n < 600; n++) {
    if (child.exitCode !== null) throw new Error(`temporal ended with ${child.exitCode} before it answered`)
    try {
      const connection = await Connection.connect({ address, connectTimeout: 1_000 })
      try {
        await connection.workflowService.describeNamespace({ namespace: 'default' })
        return
      } finally {
        await connection.close()
      }
    } catch {
      await sleep(50)
    }
  }
  child.kill('SIGKILL')
  throw new Error(`temporal does not answer on ${address}`)
}
