import { useCallback, useEffect, useRef, useState } from 'preact/hooks'

import { messageOf } from './use_action.ts'

/** The state of a reading: its newest data, and the message of a failure. */
export type Load<T> = { data: T | null; error: string | null; reload: () => Promise<void> }

/** Reads data when the component appears and when `read` changes. `read` must be the same function between renders. */
export function useLoad<T>(read: () => Promise<T>): Load<T> {
  const [state, setState] = useState<Omit<Load<T>, 'reload'>>({ data: null, error: null })
  const n_readings = useRef(0)
  const newest = useRef(0)
  const reload = useCallback(async () => {
    const n = ++n_readings.current
    const next = await read().then(
      (data) => ({ data, error: null }),
      (error: unknown) => ({ error: messageOf(error) }),
    )
    // An answer that a later one has overtaken is out of date. Readings may begin before the earlier ones are answered.
    if (n < newest.current) return
    newest.current = n
    setState((before) => ({ ...before, ...next }))
  }, [read])
  useEffect(() => void reload(), [reload])
  return { ...state, reload }
}
