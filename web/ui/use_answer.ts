import { useCallback } from 'preact/hooks'

import type { Query } from '#web/client/figures.ts'
import type { Answer } from '#web/client/visit.ts'

import { useLive } from './use_live.ts'
import type { Load } from './use_load.ts'

/** Reads a list of `/v1` by its query, and again while the page is visible. Equal values are the same query. */
export function useAnswer<T>(read: (query: Query) => Promise<Answer<T[]>>, query: Query): Load<Answer<T[]>> {
  const key = JSON.stringify(query)
  return useLive(useCallback(() => read(query), [read, key]))
}
