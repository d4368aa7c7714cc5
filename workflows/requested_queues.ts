import type { EmptyKey } from '#ingest/batch.ts'

/** The keys that each source of a run has read, of requests that another source has yet to read. */
export type Queues = {
  /** A round of a source begins or ends. */
  begin: (name: string) => void
  end: (name: string) => void
  readBy: (name: string) => string[]
  /** Whether a source may read further keys, while others have yet to read those that it read. */
  hasRoom: (name: string) => boolean
  /** Notes keys that a source read. Returns those that all sources have read, and what their upstreams do not know. */
  note: (name: string, keys: readonly string[], empty: readonly EmptyKey[]) => { keys: string[]; empty: EmptyKey[] }
  /** Forgets keys whose requests have ended. */
  drop: (keys: readonly string[]) => void
  /**
   * Whether the run goes on as a new one: after so many rounds of a source, once no source is within a round. A source that
   * always is delays that until twice as many.
   */
  isOver: (mostRounds: number, isFull: boolean) => boolean
}

/** Each poll names the keys that it does not want. */
const mostWaiting = 2_000

export function openQueues(names: readonly string[]): Queues {
  const read = new Map(names.map((name) => [name, new Set<string>()]))
  const rounds = new Map(names.map((name) => [name, 0]))
  const busy = new Set<string>()
  let empty: EmptyKey[] = []
  let isEnded = false
  const readOf = (name: string): Set<string> => read.get(name) ?? new Set()
  return {
    begin: (name) => {
      busy.add(name)
      rounds.set(name, (rounds.get(name) ?? 0) + 1)
    },
    end: (name) => void busy.delete(name),
    readBy: (name) => [...readOf(name)],
    hasRoom: (name) => readOf(name).size < mostWaiting,
    note: (name, keys, emptyKeys) => {
      for (const key of keys) readOf(name).add(key)
      empty.push(...emptyKeys)
      const ended = new Set(keys.filter((key) => names.every((other) => readOf(other).has(key))))
      return { keys: [...ended], empty: empty.filter(({ key }) => ended.has(key)) }
    },
    drop: (keys) => {
      const ended = new Set(keys)
      for (const keysRead of read.values()) for (const key of ended) keysRead.delete(key)
      empty = empty.filter(({ key }) => !ended.has(key))
    },
    isOver: (mostRounds, isFull) => {
      const most = Math.max(...rounds.values())
      if (((most >= mostRounds || isFull) && busy.size === 0) || most >= 2 * mostRounds) isEnded = true
      return isEnded
    },
  }
}
