import type { HostName } from './host.ts'
import type { Timers } from './rate_limiter.ts'

/** So many requests that fail one after the other open the circuit of a host, for so long. */
const breaker = { failures: 5, pause_ms: 30_000 }

type Circuit = { failures: number; openUntil_ms: number }

/** Asks one host; `hasNext`: another one can take over. */
export type AskHost<T> = (name: HostName, hasNext: boolean) => Promise<T>

/** Asks upstreams in the order of preference until one of them does not fail. Returns the last outcome. */
export type Failover = <T extends { hasFailed: boolean; pause_ms?: number | undefined }>(
  names: readonly HostName[],
  ask: AskHost<T>,
) => Promise<{ outcome: T; name: HostName; asked: HostName[] }>

/**
 * A circuit breaker for each host. A host that failed several times in a row is passed over, and after a pause a single
 * request tries it again (half-open). When the circuits of all upstreams are open, they are asked nevertheless, since
 * there is no better choice.
 */
export function createFailover({ now_ms }: Pick<Timers, 'now_ms'>): Failover {
  const circuits = new Map<HostName, Circuit>()
  const circuitOf = (name: HostName): Circuit => {
    const circuit = circuits.get(name) ?? { failures: 0, openUntil_ms: now_ms() }
    circuits.set(name, circuit)
    return circuit
  }
  const isOpen = (name: HostName): boolean => circuitOf(name).openUntil_ms > now_ms()

  return async (names, ask) => {
    const [first, ...rest] = [...names.filter((name) => !isOpen(name)), ...names.filter(isOpen)]
    if (first === undefined) throw new Error('a request names no upstream; expected at least one')
    const asked: HostName[] = []
    const tryHost: typeof ask = async (name, hasNext) => {
      asked.push(name)
      const circuit = circuitOf(name)
      // While this request tries the host again, other requests pass it over.
      if (circuit.failures >= breaker.failures) circuit.openUntil_ms = now_ms() + breaker.pause_ms
      const outcome = await ask(name, hasNext)
      circuit.failures = outcome.hasFailed ? circuit.failures + 1 : 0
      // A host that asks for a pause gets it, however few requests have failed.
      const least_ms = circuit.failures >= breaker.failures ? breaker.pause_ms : 0
      const pause_ms = outcome.hasFailed ? Math.max(outcome.pause_ms ?? 0, least_ms) : 0
      circuit.openUntil_ms = now_ms() + pause_ms
      return outcome
    }
    let name = first
    let outcome = await tryHost(name, rest.length > 0)
    for (const [n, next] of rest.entries()) {
      if (!outcome.hasFailed) break
      name = next
      outcome = await tryHost(name, n < rest.length - 1)
    }
    return { outcome, name, asked }
  }
}
