import { AsyncLocalStorage } from 'node:async_hooks'

import { pause, within, withRetries, type ActivityOptions } from './retry.ts'
import type { Slots } from './slots.ts'

/**
 * The embedded engine: workflows as plain async functions in this process. It has the primitives of Temporal's workflow
 * API that our workflows use, with the same names and meaning. It stores no history: after a restart a workflow reads
 * coverage and continues with the missing units.
 */
type Run = {
  id: string
  activities: Activities
  /** Limits on concurrent activities, by their names; other activities have no limit. */
  slots: Readonly<Record<string, Slots>>
  handlers: Map<string, (...args: never[]) => unknown>
  waiters: Set<() => void>
  cancelled: AbortSignal
}
type Activities = Record<string, (...args: never[]) => Promise<unknown>>

const current = new AsyncLocalStorage<Run>()

type RunningActivity = { cancelled: AbortSignal; progressed: () => void }

const activity = new AsyncLocalStorage<RunningActivity>()

/** Aborts when the current activity must end, because its workflow was cancelled or its time limit passed. */
export const activityCancelled = (): AbortSignal | undefined => activity.getStore()?.cancelled

/**
 * Returns the function by which the current activity reports progress. Without reports it counts as hanging after a
 * minute.
 */
export const activityProgress = (): (() => void) | undefined => activity.getStore()?.progressed

const run = (): Run => {
  const context = current.getStore()
  if (context === undefined) throw new Error('a workflow primitive was called outside a workflow')
  return context
}

/** A signal or query of a workflow, by name. */
export type Definition<Args extends unknown[], Result> = { name: string; types?: (...args: Args) => Result }

/** The error that a cancelled workflow ends with. */
export class CancelledFailure extends Error {
  constructor() {
    super('the workflow was cancelled')
    this.name = 'CancelledFailure'
  }
}

class ContinueAsNew extends Error {
  args: unknown[]
  constructor(args: unknown[]) {
    super('the workflow continues as a new run')
    this.args = args
  }
}

type Workflow = (...args: unknown[]) => Promise<unknown>

export const defineSignal = <Args extends unknown[] = []>(name: string): Definition<Args, void> => ({ name })

export const defineQuery = <Result, Args extends unknown[] = []>(name: string): Definition<Args, Result> => ({ name })

export const setHandler = <Args extends unknown[], Result>(
  { name }: Definition<Args, Result>,
  handler: (...args: Args) => Result,
): void => {
  run().handlers.set(name, handler)
}

/** The activities as functions, each with the retries and the time limit of `options`. */
export function proxyActivities<A extends object>(options: ActivityOptions): A {
  const call =
    (name: string) =>
    async (...args: never[]): Promise<unknown> => {
      const { id, activities, slots, cancelled, waiters } = run()
      const verb = activities[name]
      if (verb === undefined) throw new Error(`activity ${name}: unknown; expected a registered activity`)
      const attempt = (progressed = (): void => undefined): Promise<unknown> =>
        within(
          (ending) => activity.run({ cancelled: ending, progressed }, () => verb(...args)),
          options.startToCloseTimeout,
          cancelled,
        )
      const limit = slots[name]
      try {
        return await withRetries(
          () => (limit === undefined ? attempt() : limit.run(id, cancelled, attempt)),
          options,
          cancelled,
        )
      } finally {
        wake(waiters)
      }
    }
  return new Proxy<Record<string, unknown>>({}, { get: (_, name) => call(String(name)) }) as A
}

/** Waits for a number of milliseconds. */
export async function sleep(ms: number): Promise<void> {
  const { waiters, cancelled } = run()
  await pause(ms, cancelled)
  wake(waiters)
}

/** Waits until `holds` is true. It is checked again after each activity, sleep and signal. */
export async function condition(holds: () => boolean): Promise<void> {
  const { waiters, cancelled } = run()
  while (!holds()) {
    cancelled.throwIfAborted()
    await new Promise<void>((resolve) => {
      waiters.add(resolve)
    })
    // The resumed code may make another condition true.
    if (holds()) wake(waiters)
  }
}

/** Ends this run and starts the workflow again with these arguments. */
export const continueAsNew = <W extends (...args: never[]) => Promise<unknown> = Workflow>(
  ...args: Parameters<W>
): Promise<never> => Promise.reject(new ContinueAsNew(args))

export type WorkflowHandle<Result> = {
  result: Promise<Result>
  /** Undefined if the workflow has no handler. */
  query: <Args extends unknown[], R>(definition: Definition<Args, R>, ...args: Args) => R | undefined
  signal: <Args extends unknown[]>(definition: Definition<Args, void>, ...args: Args) => void
  /**
   * Ends the run with a {@link CancelledFailure} at its next primitive. A running activity is cancelled and awaited.
   */
  cancel: () => void
}

type WorkflowStart<Args> = Partial<Pick<Run, 'id' | 'slots'>> & { args: Args; activities: object }

/** Starts a workflow in this process. */
export function startWorkflow<Args extends unknown[], Result>(
  workflow: (...args: Args) => Promise<Result>,
  { id = workflow.name, args, activities, slots = {} }: WorkflowStart<Args>,
): WorkflowHandle<Result> {
  const stop = new AbortController()
  const context: Run = {
    id,
    slots,
    activities: activities as Activities,
    handlers: new Map(),
    waiters: new Set(),
    cancelled: stop.signal,
  }
  const call = (name: string, handlerArgs: unknown[]): unknown =>
    context.handlers.get(name)?.(...(handlerArgs as never[]))
  return {
    result: current.run(context, () => untilDone(context, workflow, args)),
    query: (definition, ...handlerArgs) => call(definition.name, handlerArgs) as never,
    signal: (definition, ...handlerArgs) => {
      call(definition.name, handlerArgs)
      wake(context.waiters)
    },
    cancel: () => {
      stop.abort(new CancelledFailure())
      wake(context.waiters)
    },
  }
}

async function untilDone<Args extends unknown[], Result>(
  context: Run,
  workflow: (...args: Args) => Promise<Result>,
  args: Args,
): Promise<Result> {
  for (let next = args; ;) {
    try {
      return await workflow(...next)
    } catch (error) {
      if (!(error instanceof ContinueAsNew)) throw error
      next = error.args as Args
      context.handlers.clear()
    }
  }
}

/** Schedules a new check of all conditions, after the pending microtasks. */
const wake = (waiters: Set<() => void>): void => {
  setImmediate(() => {
    const all = [...waiters]
    waiters.clear()
    for (const waiter of all) waiter()
  })
}
