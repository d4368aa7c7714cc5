/** The number of blocks of the next `eth_getLogs` of an endpoint. */
export type RangeSize = {
  size: () => number
  /** An answer of `n_logs` to a range of `n_blocks`. */
  succeed: (n_blocks: number, n_logs: number) => void
  /** A refused range of `n_blocks`, with the limit that the error names. */
  fail: (n_blocks: number, limit?: number) => void
}

const first = 500
/** Larger ranges save few requests, and no keyless endpoint accepts them. */
const most = 10_000
/** An answer with fewer logs lets the range grow, one with more lets it shrink. */
const logs = { few: 2_000, many: 10_000 }
/** Before the first refusal a range doubles; later it grows slowly, since each refusal costs a request. */
const growth = { first: 2, later: 1.1 }
/** A limit is tried again after so many answers, since a busy provider may have lowered it for a while. */
const retryAfter = 100

/** Adapts ranges to an endpoint: halved on a refusal, set by a named limit, grown on success. */
export function createRangeSize(): RangeSize {
  let size = first
  let limit = most
  let isRefused = false
  let n_atLimit = 0
  return {
    size: () => size,
    succeed: (n_blocks, n_logs) => {
      if (n_logs > logs.many) {
        size = Math.max(1, Math.floor(size / 2))
        return
      }
      // The last range of a unit says nothing about larger ones.
      if (n_blocks < size || n_logs > logs.few) return
      if (size < limit) size = Math.min(limit, Math.ceil(size * (isRefused ? growth.later : growth.first)))
      else if (limit < most && ++n_atLimit >= retryAfter) {
        n_atLimit = 0
        limit = Math.min(most, limit * 2)
        size = limit
      }
    },
    fail: (n_blocks, named) => {
      isRefused = true
      n_atLimit = 0
      const isNamed = named !== undefined && named < n_blocks
      size = isNamed ? named : Math.max(1, Math.floor(n_blocks / 2))
      if (isNamed) limit = named
    },
  }
}
