import { LRUCache } from 'lru-cache'

import type { PublicEndpoint } from '#api/contract/endpoint.ts'
import { publicationNames } from '#marts/publications.ts'

import type { RequestKey } from './request_context.ts'
import { answerPublic, type PublicAnswer, type PublicSources } from './respond.ts'

/**
 * Public answers, cached and coalesced. It accepts only public endpoints, and a key has no account. An answer for one
 * account therefore cannot reach another.
 */
export type ResponseCache = {
  /** The stored answer to a request, if it is still valid. */
  cached: (key: RequestKey) => PublicAnswer | null
  /** Makes and stores an answer. Equal requests at the same moment share one answer. */
  answer: (endpoint: PublicEndpoint, key: RequestKey) => Promise<PublicAnswer>
}

/** Bytes of an entry besides its key and body, roughly: headers and map slot. */
const overhead_bytes = 1_024

/** At `maxBytes`, the least recently used answers are removed first. */
export function openResponseCache(sources: PublicSources, maxBytes: number): ResponseCache {
  const { marts } = sources
  const stored = new LRUCache<string, PublicAnswer>({
    maxSize: maxBytes,
    sizeCalculation: ({ body }, key) => key.length * 2 + body.byteLength + overhead_bytes,
  })
  const inFlight = new Map<string, Promise<PublicAnswer>>()

  const isValid = ({ isPinned, snapshot }: PublicAnswer): boolean =>
    isPinned ? marts.at(snapshot.id) === snapshot : marts.current(...snapshot.of) === snapshot

  return {
    cached: (key) => {
      const answer = stored.get(textOf(key))
      return answer && isValid(answer) ? answer : null
    },
    answer: (endpoint, key) => {
      const newest = publicationNames()
        .map((name) => marts.current(name)?.id)
        .join()
      const id = `${newest} ${textOf(key)}`
      const running = inFlight.get(id)
      if (running) return running
      const begun = answerPublic(endpoint, key, sources)
        .then((answer) => {
          stored.set(textOf(key), answer)
          return answer
        })
        .finally(() => inFlight.delete(id))
      inFlight.set(id, begun)
      return begun
    },
  }
}

/** A missing `Accept` means any type. */
const textOf = ({ tier, accept = '*/*', path, search }: RequestKey): string => `${tier} ${path}?${search} ${accept}`
