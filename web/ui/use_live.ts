import { useEffect } from 'preact/hooks'

import { useLoad, type Load } from './use_load.ts'

/** New snapshots are looked for so often. An unchanged answer costs a 304. */
const every_ms = 15_000

/** Reads data when the component appears and when `read` changes, and again while the page is visible. */
export function useLive<T>(read: () => Promise<T>): Load<T> {
  const load = useLoad(read)
  const { reload } = load
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) void reload()
    }, every_ms)
    return () => clearInterval(timer)
  }, [reload])
  return load
}
