import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

import { LRUCache } from 'lru-cache'

import type { PublicEndpoint } from '#api/contract/endpoint.ts'
import { openCallers, type Asking, type Callers } from '#marts/asking.ts'
import { publicationNames } from '#marts/publications.ts'

import { readPublicRequest, uncompressed, type PublicRequest } from './public_request.ts'
import { spellingOf, type RequestKey } from './request_context.ts'
import { answerPublic, compressedAnswer, type PublicAnswer, type PublicSources } from './respond.ts'

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

/** Bytes of an entry besides its key and body, roughly: headers and map slot. */
const overhead_bytes = 1_280
/** Known spellings take up to 1/16 of the bytes of answers, and at least this. */
const spellings_bytes = 256 * 1_024
/** A smaller body is sent as it is: compressed, it would need as many packets. */
const compressed_from_bytes = 1_024

const compress = promisify(gzip)

/** At `maxBytes`, the least recently used answers are removed first. */
export function openResponseCache(sources: PublicSources, maxBytes: number): ResponseCache {
  const { marts } = sources
  const answers = new LRUCache<string, PublicAnswer>({
    maxSize: maxBytes,
    sizeCalculation: ({ body }, key) => key.length * 2 + body.byteLength + overhead_bytes,
  })
  // The key of a valid request by its spelling, so that a repeated spelling is not parsed.
  const keys = new LRUCache<string, string>({
    maxSize: Math.max(spellings_bytes, maxBytes / 16),
    sizeCalculation: (key, spelling) => (key.length + spelling.length) * 2 + 64,
  })
  const inFlight = new Map<string, { answer: Promise<PublicAnswer>; callers: Callers }>()

  const stored = (key: string): PublicAnswer | null => {
    const answer = answers.get(key)
    if (!answer) return null
    const { isPinned, snapshot, until } = answer
    if (until !== null && sources.now() >= until) return null
    return (isPinned ? marts.at(snapshot.id) : marts.current(...snapshot.of)) === snapshot ? answer : null
  }

  /** Such an answer is valid at no instant, so it is never found in the cache. */
  const isOfOneAccount = ({ until }: PublicAnswer): boolean => until !== null && until <= sources.now()

  const make = async (request: PublicRequest, asking: Asking): Promise<PublicAnswer> => {
    if (!request.isCompressed) return answerPublic(request, sources, asking)
    const plain = await answerOf(uncompressed(request), asking)
    return plain.body.byteLength < compressed_from_bytes ? plain : compressedAnswer(plain, await compress(plain.body))
  }

  const answerOf = async (request: PublicRequest, asking: Asking): Promise<PublicAnswer> => {
    const found = stored(request.key)
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
        answers.set(request.key, answer)
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
      return key === undefined ? null : stored(key)
    },
    answer: async (endpoint, key, asking) => {
      const request = readPublicRequest(endpoint, key, sources.cursors)
      keys.set(spellingOf(key), request.key)
      return answerOf(request, asking)
    },
  }
}
