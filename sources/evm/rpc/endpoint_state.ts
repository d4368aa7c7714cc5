import type { HostName } from '#ingest/http/host.ts'
import { createFailover, type Failover } from '#ingest/http/http.ts'
import type { Timers } from '#ingest/http/rate_limiter.ts'
import { machineTimers } from '#time.ts'

import { createBatchSize, type BatchSize } from './batch_size.ts'
import { createRangeSize, type RangeSize } from './range_size.ts'

/** The facts that requests to an endpoint have shown, for the life of the process. */
export type EndpointState = {
  batches: BatchSize
  /** The topics of one filter that it accepts. */
  topics: number
  /** Whether it has answered with the id of its chain. */
  isOfChain: boolean
  /** Methods that it does not serve. */
  without: Set<string>
  /** It lacks the history of blocks below. */
  firstBlock: number
  /** It lacks the state of the accounts at blocks below. A node that has pruned them still has the blocks. */
  firstState: number
  ranges: RangeSize
  /** The same for logs of one holder, which are few, so that larger ranges fit. */
  holderRanges: RangeSize
}

/** The memory of all endpoints of a process, and the circuit breakers between them. */
export type RpcMemory = {
  stateOf: (name: HostName) => EndpointState
  failover: Failover
  timers: Timers
}

/** Makes the memory that all readers of a process share. */
export function createRpcMemory(timers: Timers): RpcMemory {
  const states = new Map<HostName, EndpointState>()
  const stateOf = (name: HostName): EndpointState => {
    const state = states.get(name) ?? {
      batches: createBatchSize(),
      topics: Number.POSITIVE_INFINITY,
      isOfChain: false,
      without: new Set<string>(),
      firstBlock: 0,
      firstState: 0,
      ranges: createRangeSize(),
      holderRanges: createRangeSize(),
    }
    states.set(name, state)
    return state
  }
  return { stateOf, failover: createFailover(timers), timers }
}

/** The memory of this process, which the sources of chains share. */
export const processMemory: RpcMemory = createRpcMemory(machineTimers)
