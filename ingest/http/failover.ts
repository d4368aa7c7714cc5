import type { HostName } from './host.ts'
import type { Timers } from './rate_limiter.ts'

/** The failures in a row that open the circuit of a host, and the time for which it is open. */
const breaker = { failures: 5, pause_ms: 30_000 }

type Circuit = { failures: number; openUntil_ms: number }

/** Sends the request to one host; `hasNext`: another host can take over. */
export type AskHost<T> = (name: HostName, hasNext: boolean) => Promise<T>

/** Tries upstreams in the order of preference until an attempt succeeds. Returns the last outcome. */
export type Failover = <T extends { hasFailed: boolean; pause_ms?: number | undefined }>(
  names: readonly HostName[],
  ask: AskHost<T>,
) => Promise<{ outcome: T; name: HostName; asked: HostName[] }>

/**
 * A circuit breaker for each host. A host that failed several times in a row is skipped. After a pause a single request
 * tries it again (half-open). If the circuits of all upstreams are open, they are tried nevertheless.
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
    if (first === undefined) throw new Error('request: no upstream; expected at least one')
    const asked: HostName[] = []
    const tryHost: typeof ask = async (name, hasNext) => {
      asked.push(name)
      const circuit = circuitOf(name)
      // While this request tries the host again, other requests skip it.
      if (circuit.failures >= breaker.failures) circuit.openUntil_ms = now_ms() + breaker.pause_ms
      const outcome = await ask(name, hasNext)
      circuit.failures = outcome.hasFailed ? circuit.failures + 1 : 0
      // A pause that the host requests applies after any number of failures.
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
