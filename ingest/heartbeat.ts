/**
 * The context that the engine gives an activity. Heartbeats show a server that the activity is alive. After the death
 * of a worker, the next attempt gets the details of the last heartbeat.
 */
export type ActivityContext = {
  /** The details of the previous attempt; undefined at the first attempt. */
  heartbeatDetails: unknown
  heartbeat: (cursor: unknown) => void
  /** Aborts when the workflow is cancelled or the worker shuts down. */
  cancelled: AbortSignal | undefined
  /** Aborts when the worker ends soon: the units in flight are finished, and no other begins. */
  draining?: AbortSignal | undefined
}

/** The context of calls outside a workflow. */
export const detachedContext: ActivityContext = {
  heartbeatDetails: undefined,
  heartbeat: () => undefined,
  cancelled: undefined,
}

/**
 * Settles as `work` does, or rejects when it is cancelled. A hanging source then does not delay the end of its workflow
 * or of the process. The work must store nothing.
 */
export async function untilCancelled<T>(work: Promise<T>, cancelled: AbortSignal | undefined): Promise<T> {
  if (cancelled === undefined) return work
  let leave = (): void => undefined
  const left = new Promise<never>((_, reject) => {
    leave = () => reject(new Aborted(cancelled.reason))
  })
  cancelled.addEventListener('abort', leave, { once: true })
  if (cancelled.aborted) leave()
  try {
    return await Promise.race([work, left])
  } finally {
    cancelled.removeEventListener('abort', leave)
  }
}

/** Thrown when the workflow of an activity is cancelled, or its worker shuts down. */
export class Aborted extends Error {
  constructor(reason: unknown) {
    super(`cancelled: ${reason instanceof Error ? reason.message : String(reason)}`, { cause: reason })
    this.name = 'AbortError'
  }
}
