import { LRUCache } from 'lru-cache'

import type { PublicEndpoint } from '#api/contract/endpoint.ts'
import { readPublicRequest, uncompressed, type PublicRequest } from '#api/http/public_request.ts'
import { spellingOf, type RequestKey } from '#api/http/request_context.ts'
import { answerPublic, compressAnswer, type PublicAnswer, type PublicSources } from '#api/http/respond.ts'
import { openCallers, type Asking, type Callers } from '#snapshots/asking.ts'
import { publicationNames } from '#snapshots/publications.ts'

import { openAnswerStore } from './answer_store.ts'

/**
 * Public answers, cached and coalesced. It accepts only public endpoints, and a key has no account. An answer for one
 * account therefore cannot reach another.
 */
export type ResponseCache = {
  /** The stored answer to a spelling of a request (`spellingOf`), if it is still valid. */
  cached: (spelling: string) => PublicAnswer | null
  /**
   * Makes and stores an answer. Equal requests at the same moment share one answer, which is given up once all their
   * callers have gone. Throws a 406, 400 or 503.
   */
  answer: (endpoint: PublicEndpoint, key: RequestKey, asking: Asking) => Promise<PublicAnswer>
}

/** Known spellings take up to 1/16 of the bytes of answers, and at least this. */
const spellings_bytes = 256 * 1_024
/** At `maxBytes`, the least recently used answers are removed first. */
export function openResponseCache(sources: PublicSources, maxBytes: number): ResponseCache {
  const { marts } = sources
  const answers = openAnswerStore(sources, maxBytes)
  // The key of a valid request by its spelling, so that a repeated spelling is not parsed.
  const keys = new LRUCache<string, string>({
    maxSize: Math.max(spellings_bytes, maxBytes / 16),
    sizeCalculation: (key, spelling) => (key.length + spelling.length) * 2 + 64,
  })
  const inFlight = new Map<string, { answer: Promise<PublicAnswer>; callers: Callers }>()

  /** An answer for one account is valid for no time, so that the cache never returns it. */
  const isOfOneAccount = ({ fresh }: PublicAnswer): boolean => fresh?.length === 0

  const make = async (request: PublicRequest, asking: Asking): Promise<PublicAnswer> => {
    if (!request.isCompressed) return answerPublic(request, sources, asking)
    return compressAnswer(await answerOf(uncompressed(request), asking))
  }

  const answerOf = async (request: PublicRequest, asking: Asking): Promise<PublicAnswer> => {
    const found = answers.get(request.key)
    if (found) return found
    const newest = publicationNames()
      .map((name) => marts.current(name)?.id)
      .join()
    const id = `${newest} ${request.key}`
    const running = inFlight.get(id)
    if (running && !running.callers.asking.signal.aborted) {
      running.callers.join(asking)
      const shared = await running.answer
      if (!isOfOneAccount(shared)) return shared
    }
    const callers = openCallers(asking)
    const begun = make(request, callers.asking)
      .then((answer) => {
        answers.set(request, answer)
        return answer
      })
      .finally(() => {
        if (inFlight.get(id)?.callers === callers) inFlight.delete(id)
      })
    inFlight.set(id, { answer: begun, callers })
    return begun
  }

  return {
    cached: (spelling) => {
      const key = keys.get(spelling)
      return key === undefined ? null : answers.get(key)
    },
    answer: async (endpoint, key, asking) => {
      const request = readPublicRequest(endpoint, key, sources.cursors)
      keys.set(spellingOf(key), request.key)
      return answerOf(request, asking)
    },
  }
}
