import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { z } from 'zod'

import { NotRunning, type Engine, type RunState } from './engine.ts'

/** What another process asks of a run: a signal by name, or `cancel`. */
const signalShape = z.object({ name: z.string(), args: z.array(z.unknown()) })
export type SignalRequest = z.output<typeof signalShape>

/**
 * Runs of the processes that share a folder: `<id>.json` says how one stands, and `<id>.orders/` holds what others ask
 * of it, one file an order. On one machine this is what a Temporal server is for many.
 */
export type RunRegistry = Pick<Engine, 'list' | 'find'> & {
  register: (
    run: { id: string; workflow: string; progress: () => Promise<unknown> },
    obey: (order: SignalRequest) => Promise<void>,
  ) => Promise<{ end: () => Promise<void> }>
}

const every_ms = 250
const patience_ms = 10_000
/** Who has told nothing for so long is dead, though somebody else may have its number by now. */
const silence_ms = 60_000

export function openRunRegistry(folder: string): RunRegistry {
  const fileOf = (id: string): string => join(folder, `${id}.json`)
  const signalsOf = (id: string): string => join(folder, `${id}.orders`)

  const list = async (): Promise<RunState[]> => {
    const found: RunState[] = []
    for (const name of (await namesIn(folder)).filter((file) => file.endsWith('.json'))) {
      const run = await readRun(join(folder, name))
      if (run !== undefined && isAlive(run)) found.push(run.state)
    }
    return found
  }

  const send = async (id: string, order: SignalRequest): Promise<void> => {
    const file = join(signalsOf(id), `${process.hrtime.bigint()}.json`)
    try {
      await writeFile(`${file}.new`, JSON.stringify(order))
      await rename(`${file}.new`, file)
    } catch (error) {
      // It has ended just now, and its orders are gone with it.
      if ((await readRun(fileOf(id))) === undefined) throw new NotRunning(id, await list())
      throw error
    }
    for (let waited_ms = 0; (await namesIn(signalsOf(id))).includes(file.slice(signalsOf(id).length + 1));) {
      if (waited_ms >= patience_ms || (await readRun(fileOf(id))) === undefined) {
        // What was said not to have arrived is not obeyed later.
        await rm(file, { force: true })
        throw new NotRunning(id, await list())
      }
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
    register: async ({ id, workflow, progress }, obey) => {
      // Orders for one of this name that died are none for this one.
      await rm(signalsOf(id), { recursive: true, force: true })
      await mkdir(signalsOf(id), { recursive: true })
      const ending = new AbortController()
      const write = async (): Promise<void> => {
        const state: RunState = { id, workflow, progress: (await progress()) ?? null }
        const told: Omit<RunRecord, 'silent_ms'> = { host: hostname(), pid: process.pid, state }
        await writeFile(`${fileOf(id)}.new`, JSON.stringify(told))
        await rename(`${fileOf(id)}.new`, fileOf(id))
      }
      await write()
      const told = (async () => {
        while (!ending.signal.aborted) {
          await applySignals(signalsOf(id), obey)
          // A disk that is full is no reason to end what runs: it is told again in a moment.
          await write().catch(() => undefined)
          await sleep(every_ms, undefined, { signal: ending.signal }).catch(() => undefined)
        }
      })()
      return {
        end: async () => {
          ending.abort()
          await told
          for (const path of [fileOf(id), signalsOf(id)]) await rm(path, { recursive: true, force: true })
        },
      }
    },
  }
}

/** Obeys the orders of a folder, oldest first; one that is gone has been taken. */
async function applySignals(folder: string, obey: (order: SignalRequest) => Promise<void>): Promise<void> {
  const names = (await namesIn(folder)).filter((name) => name.endsWith('.json'))
  for (const name of names.toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1))) {
    const file = join(folder, name)
    const order = await readFile(file, 'utf8').then(parseSignal, () => undefined)
    if (order !== undefined) await obey(order)
    await rm(file, { force: true })
  }
}

/** Orders of ours are moved in whole; whatever else lies there is none. */
function parseSignal(body: string): SignalRequest | undefined {
  try {
    return signalShape.parse(JSON.parse(body))
  } catch {
    return undefined
  }
}

const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch(() => [])

/** `silent_ms`: since it was told last. */
type RunRecord = { host: string; pid: number; state: RunState; silent_ms: number }

/** A run's file is written by ourselves, and replaced in one step: it is whole, or gone. */
async function readRun(file: string): Promise<RunRecord | undefined> {
  try {
    const { mtimeMs } = await stat(file)
    const told = JSON.parse(await readFile(file, 'utf8')) as Omit<RunRecord, 'silent_ms'>
    return { ...told, silent_ms: performance.timeOrigin + performance.now() - mtimeMs }
  } catch {
    return undefined
  }
}

/** Whether a run's process lives; of one elsewhere that shares the home only its silence tells. */
const isAlive = ({ host, pid, silent_ms }: RunRecord): boolean =>
  silent_ms < silence_ms && (host !== hostname() || isProcess(pid))

/** Whether a process lives; one of another user does too. */
function isProcess(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
