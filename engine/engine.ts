import type { Definition } from './embedded_workflow.ts'

/** A workflow: a plain async function. Its name is what it is called by. */
export type Workflow<Args extends unknown[], Result> = (...args: Args) => Promise<Result>

/** A run of a workflow, wherever it runs. */
export type Run<Result> = {
  id: string
  /** Whether it was running already when it was asked for. */
  isOld: boolean
  /** Waits for its end. Fails as the workflow did. */
  result: () => Promise<Result>
  /** Undefined where it cannot say now. */
  query: <R>(definition: Definition<[], R>) => Promise<R | undefined>
  signal: <Args extends unknown[]>(definition: Definition<Args, void>, ...args: Args) => Promise<void>
  cancel: () => Promise<void>
}

/** A run as another process sees it. */
export type RunState = { id: string; workflow: string; progress: unknown }

export type Start<Args extends unknown[]> = {
  id: string
  args: Args
  /** It is to go on for ever: where it fails, it is begun anew a while later. */
  restartOnFailure?: boolean
}

/** A workflow that is run again and again; one that is still going on when it is due again is not run a second time. */
export type Schedule<Args extends unknown[]> = { id: string; every_ms: number; args: Args }

/** Starts workflows and talks to those that run: in this process, or on a Temporal server. */
export type Engine = {
  /** Starts a workflow; where one of this id is running, that is the run. */
  start: <Args extends unknown[], Result>(workflow: Workflow<Args, Result>, of: Start<Args>) => Promise<Run<Result>>
  schedule: <Args extends unknown[]>(workflow: Workflow<Args, unknown>, of: Schedule<Args>) => Promise<void>
  unschedule: (id: string) => Promise<void>
  /** What runs now. */
  list: () => Promise<RunState[]>
  /** A run of this id, also one of another process. Throws where none is running. */
  find: (id: string) => Promise<Pick<Run<unknown>, 'id' | 'signal' | 'cancel'>>
  close: () => Promise<void>
}

/** There is no run of this id. */
export class NotRunning extends Error {
  constructor(id: string, running: readonly { id: string }[]) {
    const others = running.length === 0 ? 'nothing is' : `there is ${running.map((run) => run.id).join(', ')}`
    super(`${id} is not running; ${others}`)
    this.name = 'NotRunning'
  }
}
