import { RpcFault } from './fault.ts'
import type { FaultKind } from './fault_texts.ts'
import type { ChainFault } from './rpc.ts'

/** The kinds of errors with which nodes refuse a state that they no longer have. */
const withoutState: ReadonlySet<FaultKind> = new Set(['lag', 'tag', 'other'])

/** Throws an error about a block that is known to exist as one about its state. */
export function asLackOfState(error: unknown): never {
  if (!(error instanceof RpcFault) || !withoutState.has(error.kind)) throw error
  throw new RpcFault('history', error.message)
}

const isLack = ({ kind }: RpcFault): boolean => kind === 'history' || kind === 'method'

/**
 * Whether endpoints lack what was asked, the state or the method: all of them, some of them beside other faults, or
 * none.
 */
export function lackIn({ faults, n_left_out }: ChainFault): 'all' | 'some' | 'none' {
  const n_lacking = faults.filter(isLack).length + n_left_out
  if (n_lacking === 0) return 'none'
  return faults.every(isLack) ? 'all' : 'some'
}
