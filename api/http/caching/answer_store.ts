import { LRUCache } from 'lru-cache'

import type { PublicRequest } from '#api/http/public_request.ts'
import type { PublicAnswer, PublicSources } from '#api/http/respond.ts'
import type { PublicationName } from '#snapshots/publications.ts'
import { isLasting } from '#time.ts'

import { openPreparedAnswers, type Answered } from './prepared_answers.ts'

/** Valid answers by the keys of their requests. */
export type AnswerStore = {
  get: (key: string) => PublicAnswer | null
  set: (request: PublicRequest, answer: PublicAnswer) => void
}

/** Bytes of an entry besides its key and body, roughly: headers, the request and a map slot. */
const overhead_bytes = 1_792

/** An answer, and whether it was asked for since it was made. */
type Stored = Answered & { isAsked: boolean }

/**
 * At `maxBytes`, the least recently used answers are removed first. Lists in use are prepared for the next snapshot.
 */
export function openAnswerStore(sources: PublicSources, maxBytes: number): AnswerStore {
  const { marts } = sources
  const answers = new LRUCache<string, Stored>({
    maxSize: maxBytes,
    sizeCalculation: ({ answer }, key) => key.length * 2 + answer.body.byteLength + overhead_bytes,
  })

  const isValid = ({ isPinned, snapshot, fresh }: PublicAnswer): boolean =>
    (fresh === null || isLasting(fresh.until, sources.now(), fresh.length)) &&
    (isPinned ? marts.at(snapshot.id) : marts.current(...snapshot.of)) === snapshot

  /** The lists that were asked on the current snapshot of a publication, the most recently asked first. */
  const inUse = (name: PublicationName, most: number): PublicRequest[] => {
    const requests: PublicRequest[] = []
    for (const { answer, request, isAsked } of answers.values()) {
      const { endpoint, snapshot, isPinned, fresh } = answer
      if (requests.length === most) break
      if (!isAsked || isPinned || fresh !== null || endpoint.kind !== 'list') continue
      if (snapshot.of.includes(name) && isValid(answer)) requests.push(request)
    }
    return requests
  }
  const prepared = openPreparedAnswers(sources, inUse)

  return {
    get: (key) => {
      const found = answers.get(key)
      if (found && isValid(found.answer)) {
        found.isAsked = true
        return found.answer
      }
      const next = prepared.take(key)
      if (!next || !isValid(next.answer)) return null
      answers.set(key, { ...next, isAsked: true })
      return next.answer
    },
    set: (request, answer) => void answers.set(request.key, { answer, request, isAsked: true }),
  }
}
