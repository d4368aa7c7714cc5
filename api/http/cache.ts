import { LRUCache } from 'lru-cache'

import type { PublicEndpoint } from '#api/contract/endpoint.ts'
import type { Marts } from '#snapshots/marts.ts'
import { publicationNames, type PublicationName } from '#snapshots/publications.ts'
import { openCallers, ofService, type Asking, type Callers } from '#snapshots/queries.ts'
import { isLasting } from '#time.ts'

import { answerPublic, compressAnswer, type PublicAnswer, type PublicSources } from './answer_public.ts'
import { readPublicRequest, uncompressed, spellingOf, type PublicRequest, type RequestKey } from './request.ts'

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
    const cached = answers.get(request.key)
    if (cached) return cached
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
    (isPinned ? marts.at(snapshot.id) : marts.current(...snapshot.publications)) === snapshot

  /** The lists that were asked on the current snapshot of a publication, the most recently asked first. */
  const inUse = (name: PublicationName, most: number): PublicRequest[] => {
    const requests: PublicRequest[] = []
    for (const { answer, request, isAsked } of answers.values()) {
      const { endpoint, snapshot, isPinned, fresh } = answer
      if (requests.length === most) break
      if (!isAsked || isPinned || fresh !== null || endpoint.kind !== 'list') continue
      if (snapshot.publications.includes(name) && isValid(answer)) requests.push(request)
    }
    return requests
  }
  const prepared = openPreparedAnswers(sources, inUse)

  return {
    get: (key) => {
      const cached = answers.get(key)
      if (cached && isValid(cached.answer)) {
        cached.isAsked = true
        return cached.answer
      }
      const next = prepared.take(key)
      if (!next || !isValid(next.answer)) return null
      answers.set(key, { ...next, isAsked: true })
      return next.answer
    },
    set: (request, answer) => void answers.set(request.key, { answer, request, isAsked: true }),
  }
}

/** An answer that can be made again. */
export type Answered = { answer: PublicAnswer; request: PublicRequest }

/** Answers that wait for the snapshot which they rest on. */
export type PreparedAnswers = {
  /** The answer to a request by its key, which it then no longer holds. */
  take: (key: string) => Answered | null
}

/** Lists are prepared, most recently asked first, up to this number and up to these bytes of bodies. */
const most = 64
const most_bytes = 4 * 1024 * 1024

/**
 * Makes the answers to lists that callers ask for on each new snapshot before it replaces the current one. Otherwise
 * all callers of a list would wait for its first read, at the same moment. `inUse` has at most so many requests that
 * were asked on the current snapshot of a publication.
 */
export function openPreparedAnswers(
  sources: PublicSources,
  inUse: (name: PublicationName, most: number) => PublicRequest[],
): PreparedAnswers {
  const prepared = new Map<PublicationName, Map<string, Answered>>()
  sources.marts.beforeReplacing(async (name, next, signal) => {
    const preparedAnswers = new Map<string, Answered>()
    prepared.set(name, preparedAnswers)
    let left_bytes = most_bytes
    const view = { ...sources, marts: viewOf(sources.marts, next) }
    for (const request of inUse(name, most)) {
      if (signal.aborted || left_bytes <= 0) return
      const answer = await prepare(request, view, { ...ofService(), signal })
      preparedAnswers.set(request.key, { answer, request })
      left_bytes -= answer.body.byteLength
    }
  })
  return {
    take: (key) => {
      for (const answers of prepared.values()) {
        const preparedAnswer = answers.get(key)
        if (preparedAnswer === undefined) continue
        answers.delete(key)
        return preparedAnswer
      }
      return null
    },
  }
}

/** The marts as they will be. A damaged snapshot is not served yet, so that no other can take its place. */
const viewOf = (marts: Marts, next: Pick<Marts, 'current'>): Marts => ({
  ...marts,
  ...next,
  withdraw: () => Promise.reject(new Error('the next snapshot: damaged; expected an intact one')),
})

async function prepare(request: PublicRequest, sources: PublicSources, asking: Asking): Promise<PublicAnswer> {
  const plain = await answerPublic(request, sources, asking)
  return request.isCompressed ? compressAnswer(plain) : plain
}
