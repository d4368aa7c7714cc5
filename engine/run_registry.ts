import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

import { AlreadyRunning, NotRunning, type Engine, type RunState } from './engine.ts'
import { attachedRun } from './runs/attached_run.ts'
import { openRunDatabase, type RunDatabase } from './runs/run_database.ts'
import { endRun, liveRuns, progressOf, removeProcess, removeRun, renewProcess, writeRuns } from './runs/run_rows.ts'
import type { RunOutcome, RunRow } from './runs/run_rows.ts'
import { takeSignals, type SignalRequest } from './runs/run_signals.ts'

/** A run of this process. */
type OwnRun = {
  id: string
  workflow: string
  progress: () => Promise<unknown>
  apply: (signal: SignalRequest) => Promise<void>
  /** Ends it, since another process has begun it while this one was stopped. */
  lose: () => Promise<void>
}

/**
 * The runs of the processes that share a file, and the signals that one process sends to runs of another. It replaces a
 * Temporal server on one machine. Each process has one loop for all its runs. The loop takes their signals, writes
 * changed progress, and renews the heartbeat of the process.
 */
export type RunRegistry = Pick<Engine, 'list' | 'find' | 'close'> & {
  /**
   * Shows a run to other processes. Throws {@link AlreadyRunning} if another process has a run with this id.
   */
  register: (run: OwnRun) => Promise<{ end: (outcome: RunOutcome) => Promise<void> }>
}

const poll_ms = 250
/** The number of polls after which progress is written. */
const pollsPerWrite = 2

export function openRunRegistry(file: string): RunRegistry {
  const { query, close } = openRunDatabase(file)
  const processId = randomUUID()
  const localRuns = new Map<string, OwnRun>()
  /** The stored progress of own runs. */
  const written = new Map<string, string>()
  const ending = new AbortController()
  let polled: Promise<void> | undefined

  const write = async (some: readonly string[]): Promise<void> => {
    const wasAlive = await query((db) => renewProcess(db, processId))
    const shown = wasAlive ? [] : [...written.keys()]
    if (!wasAlive) written.clear()
    const keys = wasAlive ? some : [...localRuns.keys()]
    const rows = await Promise.all(keys.map((key) => rowOf(key, localRuns.get(key), processId)))
    const changed = rows.filter(({ key, progress }) => localRuns.has(key) && written.get(key) !== progress)
    await query((db) => writeRuns(db, changed))
    for (const { key, progress } of changed) written.set(key, progress)
    for (const run of shown.map((key) => localRuns.get(key)))
      if (run !== undefined && !(await isFirst(query, run.id, processId))) await run.lose()
  }

  const poll = async (): Promise<void> => {
    for (let n = 1; localRuns.size > 0 && !ending.signal.aborted; n += 1) {
      const apply = async (key: string, signal: SignalRequest): Promise<void> => localRuns.get(key)?.apply(signal)
      // A full disk ends no run: the next poll tries again.
      const taken = await takeSignals(query, [...localRuns.keys()], apply).catch(() => 0)
      if (taken > 0 || n % pollsPerWrite === 0) await write([...localRuns.keys()]).catch(() => undefined)
      await sleep(poll_ms, undefined, { signal: ending.signal }).catch(() => undefined)
    }
    polled = undefined
  }

  const running = async (): Promise<RunRow[]> => {
    if (!existsSync(file)) return []
    if (localRuns.size > 0) await write([...localRuns.keys()]).catch(() => undefined)
    return query((db) => liveRuns(db))
  }

  return {
    list: async () => (await running()).map(stateOf),
    find: async (id) => {
      const runs = await running()
      const run = runs.find((candidate) => candidate.id === id)
      if (run === undefined) throw new NotRunning(id, runs)
      return attachedRun(query, run, ending.signal)
    },
    register: async (run) => {
      const key = randomUUID()
      localRuns.set(key, run)
      const forget = async (remove: (db: RunDatabase) => Promise<void>): Promise<void> => {
        localRuns.delete(key)
        written.delete(key)
        // The run has ended even if its row remains. The row is removed with this process.
        await query(remove).catch(() => undefined)
      }
      try {
        await write([key])
        if (!(await isFirst(query, run.id, processId))) throw new AlreadyRunning(run.id)
      } catch (error) {
        await forget((db) => removeRun(db, key))
        throw error
      }
      polled ??= poll()
      return { end: (outcome) => forget((db) => endRun(db, key, outcome)) }
    },
    close: async () => {
      ending.abort()
      await polled
      if (existsSync(file)) await query((db) => removeProcess(db, processId)).catch(() => undefined)
      await close()
    },
  }
}

/** Whether no other process has a run of this id. Each process writes before it looks, so that one of two sees both. */
async function isFirst(
  query: ReturnType<typeof openRunDatabase>['query'],
  id: string,
  processId: string,
): Promise<boolean> {
  const [first] = await query((db) => liveRuns(db, id))
  return first === undefined || first.process === processId
}

const rowOf = async (key: string, run: OwnRun | undefined, processId: string): Promise<RunRow> => ({
  key,
  process: processId,
  id: run?.id ?? '',
  workflow: run?.workflow ?? '',
  progress: JSON.stringify((await run?.progress()) ?? null),
})

const stateOf = (row: RunRow): RunState => ({ id: row.id, workflow: row.workflow, progress: progressOf(row) })
