import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { NotRunning, type Engine, type RunState } from './engine.ts'

/** What another process asks of a run: a signal by name, or `cancel`. */
export type Order = { name: string; args: unknown[] }

/**
 * Runs of the processes that share a folder: `<id>.json` says how one stands, and `<id>.orders/` holds what others ask
 * of it, one file an order. On one machine this is what a Temporal server is for many.
 */
export type Runs = Pick<Engine, 'list' | 'find'> & {
  tell: (
    run: { id: string; workflow: string; progress: () => Promise<unknown> },
    obey: (order: Order) => Promise<void>,
  ) => Promise<{ end: () => Promise<void> }>
}

const every_ms = 250
const patience_ms = 10_000

export function openRuns(folder: string): Runs {
  const fileOf = (id: string): string => join(folder, `${id}.json`)
  const ordersOf = (id: string): string => join(folder, `${id}.orders`)

  const list = async (): Promise<RunState[]> => {
    const found: RunState[] = []
    for (const name of (await namesIn(folder)).filter((file) => file.endsWith('.json'))) {
      const run = await readRun(join(folder, name))
      if (run !== undefined && isAlive(run.pid)) found.push(run.state)
    }
    return found
  }

  const send = async (id: string, order: Order): Promise<void> => {
    const file = join(ordersOf(id), `${process.hrtime.bigint()}.json`)
    await writeFile(`${file}.new`, JSON.stringify(order))
    await rename(`${file}.new`, file)
    for (let waited_ms = 0; (await namesIn(ordersOf(id))).includes(file.slice(ordersOf(id).length + 1));) {
      if (waited_ms >= patience_ms || (await readRun(fileOf(id))) === undefined) throw new NotRunning(id, await list())
      await sleep(every_ms)
      waited_ms += every_ms
    }
  }

  return {
    list,
    find: async (id) => {
      const running = await list()
      if (!running.some((run) => run.id === id)) throw new NotRunning(id, running)
      return {
        id,
        signal: ({ name }, ...args) => send(id, { name, args }),
        cancel: () => send(id, { name: 'cancel', args: [] }),
      }
    },
    tell: async ({ id, workflow, progress }, obey) => {
      await mkdir(ordersOf(id), { recursive: true })
      const ending = new AbortController()
      const write = async (): Promise<void> => {
        const body = JSON.stringify({ pid: process.pid, state: { id, workflow, progress: (await progress()) ?? null } })
        await writeFile(`${fileOf(id)}.new`, body)
        await rename(`${fileOf(id)}.new`, fileOf(id))
      }
      await write()
      const told = (async () => {
        while (!ending.signal.aborted) {
          await takeOrders(ordersOf(id), obey)
          await write()
          await sleep(every_ms, undefined, { signal: ending.signal }).catch(() => undefined)
        }
      })()
      return {
        end: async () => {
          ending.abort()
          await told
          for (const path of [fileOf(id), ordersOf(id)]) await rm(path, { recursive: true, force: true })
        },
      }
    },
  }
}

/** Obeys the orders of a folder, oldest first; one that is gone has been taken. */
async function takeOrders(folder: string, obey: (order: Order) => Promise<void>): Promise<void> {
  const names = (await namesIn(folder)).filter((name) => name.endsWith('.json'))
  for (const name of names.toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1))) {
    const file = join(folder, name)
    await obey(JSON.parse(await readFile(file, 'utf8')) as Order)
    await rm(file)
  }
}

const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch(() => [])

type Told = { pid: number; state: RunState }

/** A run's file is written by ourselves, and replaced in one step: it is whole, or gone. */
const readRun = (file: string): Promise<Told | undefined> =>
  readFile(file, 'utf8').then(
    (body) => JSON.parse(body) as Told,
    () => undefined,
  )

/** Whether a process lives; one of another user does too. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
