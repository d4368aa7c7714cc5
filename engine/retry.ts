/** The subset of Temporal's activity options that we use, with the same meaning; times in milliseconds. */
export type ActivityOptions = {
  startToCloseTimeout: number
  /** For Temporal. On the embedded engine an activity and its workflow share a process. */
  heartbeatTimeout?: number
  retry?: {
    initialInterval?: number
    backoffCoefficient?: number
    maximumInterval?: number
    maximumAttempts?: number
    /** Names of errors that are not retried. */
    nonRetryableErrorTypes?: string[]
  }
}

/** Makes attempts until an attempt succeeds, their number is used up, or the workflow is cancelled. */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  { retry = {} }: Pick<ActivityOptions, 'retry'>,
  cancelled: AbortSignal,
): Promise<T> {
  const { initialInterval = 1000, backoffCoefficient = 2, maximumAttempts = Infinity } = retry
  const { maximumInterval = initialInterval * 100, nonRetryableErrorTypes = [] } = retry
  for (let n = 1; ; n++) {
    cancelled.throwIfAborted()
    try {
      return await attempt()
    } catch (error) {
      const name = error instanceof Error ? error.name : ''
      if (n >= maximumAttempts || nonRetryableErrorTypes.includes(name) || cancelled.aborted) throw error
      await pause(Math.min(initialInterval * backoffCoefficient ** (n - 1), maximumInterval), cancelled)
    }
  }
}

/**
 * Settles as `work` does, or fails after the time limit. The work is then cancelled and awaited, so that two attempts
 * never overlap.
 */
export async function within<T>(
  work: (cancelled: AbortSignal) => Promise<T>,
  limit_ms: number,
  cancelled: AbortSignal,
): Promise<T> {
  const over = new AbortController()
  const timeout = Object.assign(new Error(`activity: no result after ${limit_ms} ms; expected an earlier result`), {
    name: 'TimeoutFailure',
  })
  const timer = setTimeout(() => over.abort(timeout), limit_ms)
  // Not AbortSignal.any: `cancelled` has the lifetime of its workflow, and would hold an entry for each joined signal.
  const cancel = (): void => over.abort(cancelled.reason)
  if (cancelled.aborted) cancel()
  cancelled.addEventListener('abort', cancel, { once: true })
  try {
    return await work(over.signal)
  } catch (error) {
    throw over.signal.reason === timeout ? timeout : error
  } finally {
    clearTimeout(timer)
    cancelled.removeEventListener('abort', cancel)
  }
}

/** Waits, or fails at once when cancelled. */
export function pause(ms: number, cancelled: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (cancelled.aborted) return reject(cancelled.reason)
    const stop = (): void => {
      clearTimeout(timer)
      reject(cancelled.reason)
    }
    const timer = setTimeout(() => {
      cancelled.removeEventListener('abort', stop)
      resolve()
    }, ms)
    cancelled.addEventListener('abort', stop, { once: true })
  })
}
