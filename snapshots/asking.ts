/**
 * The requests that a query answers: their accounts, the instant of the first by `performance.now()`, and a signal that
 * is aborted once all their callers have gone. `names` grows as further callers ask for the same.
 */
export type Asking = { names: ReadonlySet<string>; began_ms: number; signal: AbortSignal }

/** A query was not run, or not to its end: too many others are asked, its time is over, or its callers have gone. */
export class MartsBusyError extends Error {
  override name = 'MartsBusyError'
}

/** A query names a mart or a column that the snapshot lacks, since another version has published it. */
export class SnapshotOutdated extends Error {
  override name = 'SnapshotOutdated'
}

/** The service itself asks, now. It has the same right to turns as one account. */
export const ofService = (): Asking => ({
  names: service,
  began_ms: performance.now(),
  signal: new AbortController().signal,
})

const service: ReadonlySet<string> = new Set(['service'])

/** A thing with queries, which then count as asked by the given callers. */
export const askedBy = <T extends { query: Query }>(of: T, asking: Asking): T => ({
  ...of,
  query: (sql, params) => of.query(sql, params, asking),
})

/**
 * Returns the rows of a select with parameters `$name`. DECIMAL and BIGINT become numbers, TIMESTAMP becomes Micros.
 * Without callers the service itself asks. Throws on invalid SQL, `MartsBusyError`, `SnapshotOutdated`, and
 * `SnapshotDamaged` if a block of the file fails its checksum.
 */
export type Query = (
  sql: string,
  params?: Record<string, string | number | boolean>,
  asking?: Asking,
) => Promise<Record<string, unknown>[]>

/** Callers who wait for one answer. */
export type Callers = {
  asking: Asking
  /** Adds the callers of another request for the same answer. */
  join: (asking: Asking) => void
}

/** Opens the group of an answer with its first callers. Its signal is aborted once all of the group have gone. */
export function openCallers(first: Asking): Callers {
  const names = new Set<string>()
  const gone = new AbortController()
  let n_waiting = 0
  const leave = () => {
    n_waiting--
    if (n_waiting === 0) gone.abort()
  }
  const join = (asking: Asking) => {
    for (const name of asking.names) names.add(name)
    n_waiting++
    if (asking.signal.aborted) leave()
    else asking.signal.addEventListener('abort', leave, { once: true })
  }
  join(first)
  return { asking: { names, began_ms: first.began_ms, signal: gone.signal }, join }
}
