/** The changes of a world by block, which a reorganization undoes. */
export type History = {
  /** Notes how a change that a block made is taken back. */
  note: (block: number, undo: () => void) => void
  /** Takes back the changes of all blocks above one, the last change first. */
  rewind: (block: number) => void
}

export function createHistory(): History {
  const changes: { block: number; undo: () => void }[] = []
  return {
    note: (block, undo) => changes.push({ block, undo }),
    rewind: (block) => {
      for (let last = changes.at(-1); last !== undefined && last.block > block; last = changes.at(-1)) {
        last.undo()
        changes.pop()
      }
    },
  }
}

/** Sets an entry of a map in a block. */
export function setIn<K, V>(history: History, block: number, map: Map<K, V>, key: K, value: V): void {
  const before = map.get(key)
  const had = map.has(key)
  map.set(key, value)
  history.note(block, () => (had ? map.set(key, before as V) : map.delete(key)))
}

/** Appends to a list in a block. */
export function pushTo<T>(history: History, block: number, list: T[], item: T): void {
  list.push(item)
  history.note(block, () => list.pop())
}
