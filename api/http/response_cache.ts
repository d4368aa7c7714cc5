/** Keeps what was used last, up to a number of bytes. */
export type Cache<T> = { get: (key: string) => T | undefined; set: (key: string, value: T) => void }

/** Bytes of the bookkeeping around an entry, roughly: headers, key, map slot. */
const overhead_bytes = 1_024

export function cacheOf<T extends { body: Buffer }>(most_bytes: number): Cache<T> {
  // A Map remembers the order of insertion: the first entry is the one that was not used for longest.
  const entries = new Map<string, T>()
  let n_bytes = 0

  const drop = (key: string) => {
    const entry = entries.get(key)
    if (!entry) return
    entries.delete(key)
    n_bytes -= sizeOf(key, entry)
  }
  return {
    get: (key) => {
      const entry = entries.get(key)
      if (!entry) return undefined
      entries.delete(key)
      entries.set(key, entry)
      return entry
    },
    set: (key, entry) => {
      drop(key)
      entries.set(key, entry)
      n_bytes += sizeOf(key, entry)
      for (const oldest of entries.keys()) {
        if (n_bytes <= most_bytes) break
        drop(oldest)
      }
    },
  }
}

const sizeOf = (key: string, entry: { body: Buffer }) => key.length * 2 + entry.body.byteLength + overhead_bytes
