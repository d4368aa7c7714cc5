import type { Definition } from './embedded_workflow.ts'

/** A workflow: a plain async function that is started by its name. */
export type Workflow<Args extends unknown[], Result> = (...args: Args) => Promise<Result>

/** A run of a workflow, in this process or on a server. */
export type Run<Result> = {
  id: string
  /** Whether it was already running at the call of `start`. */
  isOld: boolean
  /**
   * Waits for its end. Rejects with the error of the workflow, or without a server with {@link AlreadyRunning} if
   * another process has begun it while this one was stopped, and with {@link ProcessKilled}.
   */
  result: () => Promise<Result>
  /** Undefined if the run does not respond now. */
  query: <R>(definition: Definition<[], R>) => Promise<R | undefined>
  signal: <Args extends unknown[]>(definition: Definition<Args, void>, ...args: Args) => Promise<void>
  cancel: () => Promise<void>
}

/** The state of a run that other processes can read. */
export type RunState = { id: string; workflow: string; progress: unknown }

/** The subject of a run, such as its source, part and interval. A server shows its runs with them. */
export type Labels = Readonly<Record<string, string>>

/** The queues of a server. Workers of other machines may serve one of them only. */
export const queues = ['ingest', 'score'] as const
export type Queue = (typeof queues)[number]

export type Start<Args extends unknown[]> = {
  id: string
  args: Args
  labels?: Labels
  /** The queue of a server whose workers run it; by default `ingest`. */
  queue?: Queue
  /** For an endless run: a failed run is restarted after a pause. */
  restartOnFailure?: boolean
}

/** A workflow that is started at an interval, unless its previous run still runs. */
export type Schedule<Args extends unknown[]> = { id: string; every_ms: number; args: Args }

/** Starts workflows, and queries and signals their runs, in this process or on a Temporal server. */
export type Engine = {
  /**
   * Starts a workflow, or returns the run of this id that is already running. Without a server it throws
   * {@link AlreadyRunning} if that is in another process of the home; `find` returns that run.
   */
  start: <Args extends unknown[], Result>(
    workflow: Workflow<Args, Result>,
    options: Start<Args>,
  ) => Promise<Run<Result>>
  schedule: <Args extends unknown[]>(workflow: Workflow<Args, unknown>, options: Schedule<Args>) => Promise<void>
  unschedule: (id: string) => Promise<void>
  /** The current runs. */
  list: () => Promise<RunState[]>
  /** The run of this id, in any process. Throws {@link NotRunning}. */
  find: (id: string) => Promise<Run<unknown>>
  /** The name of a queue that no worker serves now; null: a worker does, or this process runs the workflows. */
  unservedQueue: (queue: Queue) => Promise<string | null>
  close: () => Promise<void>
}

/** A Temporal server refuses a setting, or a setting is unusable. The message names the setting, and shows no key. */
export class WrongServerSetting extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'WrongServerSetting'
  }
}

/** Another process of the home has a run of this id. Two would read the same twice, each at the full rate. */
export class AlreadyRunning extends Error {
  constructor(id: string) {
    super(
      `${id}: already running in another process of this home; expected its end, or \`tapeline signal ${id} cancel\``,
    )
    this.name = 'AlreadyRunning'
  }
}

/** The process that had a run was killed, or has been stopped for too long. The run has no outcome. */
export class ProcessKilled extends Error {
  constructor(id: string) {
    super(`${id}: the process that ran it was killed or stopped; expected the same command again, which continues it`)
    this.name = 'ProcessKilled'
  }
}

const maxIdsShown = 12

/** No run of this id is running. */
export class NotRunning extends Error {
  constructor(id: string, running: readonly { id: string }[]) {
    const ids = running.map((run) => run.id)
    const shown = ids.length > maxIdsShown ? [...ids.slice(0, maxIdsShown), `${ids.length - maxIdsShown} more`] : ids
    super(
      `run ${id}: not running; expected ${ids.length === 0 ? 'a run that was started' : `one of ${shown.join(', ')}`}`,
    )
    this.name = 'NotRunning'
  }
}
