import type { PublicRequest } from '#api/http/public_request.ts'
import { answerPublic, compressAnswer, type PublicAnswer, type PublicSources } from '#api/http/respond.ts'
import { ofService, type Asking } from '#snapshots/asking.ts'
import type { Marts } from '#snapshots/marts.ts'
import type { PublicationName } from '#snapshots/publications.ts'

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
    const own = new Map<string, Answered>()
    prepared.set(name, own)
    let left_bytes = most_bytes
    const view = { ...sources, marts: viewOf(sources.marts, next) }
    for (const request of inUse(name, most)) {
      if (signal.aborted || left_bytes <= 0) return
      const answer = await prepare(request, view, { ...ofService(), signal })
      own.set(request.key, { answer, request })
      left_bytes -= answer.body.byteLength
    }
  })
  return {
    take: (key) => {
      for (const answers of prepared.values()) {
        const found = answers.get(key)
        if (found === undefined) continue
        answers.delete(key)
        return found
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
