/** The number of calls of the next batch to an endpoint. */
export type BatchSize = {
  size: () => number
  /** An answered batch of `n_calls`. */
  succeed: (n_calls: number) => void
  /** A refused batch of `n_calls`. `isTooLarge`: for its number of calls, which the endpoint never accepts. */
  fail: (n_calls: number, isTooLarge: boolean) => void
}

/** Keyless endpoints often accept no more. */
const most = 20
/** A rate limit passes. One that counts the calls of a batch stays, so a batch grows slower than it shrinks. */
const growAfter = 5
/** A limit is tried again after so many full batches, since a broken answer may look like a refusal. */
const retryAfter = 100

/** Adapts batches to an endpoint: halved on a refusal, and grown on success up to what it accepts. */
export function createBatchSize(): BatchSize {
  let size = most
  let limit = most
  let n_full = 0
  return {
    size: () => size,
    succeed: (n_calls) => {
      // A smaller batch says nothing about larger ones.
      if (n_calls < size || size === most) return
      n_full += 1
      if (size < limit && n_full >= growAfter) size += 1
      else if (size === limit && n_full >= retryAfter) size = limit = Math.min(most, limit * 2)
      else return
      n_full = 0
    },
    fail: (n_calls, isTooLarge) => {
      const half = Math.ceil(n_calls / 2)
      n_full = 0
      size = Math.min(size, half)
      if (isTooLarge) limit = Math.min(limit, half)
    },
  }
}
