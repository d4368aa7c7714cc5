import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

import type { Accounts } from '#accounts/accounts.ts'
import { IdempotencyMismatch, runOnce } from '#accounts/idempotency.ts'
import type { Caller } from '#accounts/keys.ts'
import type { PrivateEndpoint, RateState, WriteEndpoint } from '#api/contract/endpoint.ts'
import { ApiError, invalidRequest, quoted } from '#api/contract/errors.ts'
import { contentOf, negotiate, serialize } from '#api/contract/format.ts'
import { readBody, parseQuery } from '#api/contract/input.ts'
import type { Marts } from '#snapshots/marts.ts'
import type { Clock } from '#time.ts'

/** An answer for one account. It belongs to no snapshot, and is sent once to its caller. */
export type PrivateAnswer = { status: number; headers: [name: string, value: string][]; body: Buffer }

type Respond<E> = (
  endpoint: E,
  req: IncomingMessage,
  call: { caller: Caller; rate: RateState; search: string },
) => Promise<PrivateAnswer>

/** Answers private reads and writes. Both throw a 406 or 400; a write also throws a 409, 413, 415 or 422. */
export function createPrivateResponder(accounts: Accounts, marts: Pick<Marts, 'current'>, now: Clock) {
  const runExclusively = exclusively()
  const scores = () => marts.current('scores')

  const answerPrivate: Respond<PrivateEndpoint> = async (endpoint, req, { caller, rate, search }) => {
    const format = negotiate(endpoint, req.headers.accept)
    const query = parseQuery(endpoint.parameters, search)
    const { body, headers } = await endpoint.read(query, {
      caller,
      accounts,
      rate,
      now: now(),
      scores: scores(),
      marts,
    })
    return {
      status: 200,
      headers: [...contentOf(format, endpoint), ...headers],
      body: serialize(format, endpoint, body),
    }
  }

  const performWrite: Respond<WriteEndpoint> = async (endpoint, req, { caller, rate, search }) => {
    const format = negotiate(endpoint, req.headers.accept)
    const body = endpoint.body ? await readBody(req, endpoint.body.schema) : {}
    const query = parseQuery(endpoint.parameters, search)
    const key = idempotencyKeyOf(req)
    const { account_id } = caller
    const request = { account_id, key, fingerprint: fingerprintOf(endpoint, query, body), now: now() }
    const { response, isReplay } = await runExclusively(key === null ? null : `${account_id} ${key}`, () =>
      runOnce(accounts, request, async (transaction) => {
        const context = { caller, accounts: transaction, rate, now: request.now, scores: scores(), marts }
        const result = await endpoint.write({ query, body }, context)
        const text = serialize(format, endpoint, result.body).toString()
        return { status: endpoint.status, headers: result.headers, body: text }
      }),
    )
    const replayed: PrivateAnswer['headers'] = isReplay ? [['Idempotent-Replayed', 'true']] : []
    return {
      status: response.status,
      headers: [...contentOf(format, endpoint), ...response.headers, ...replayed],
      body: Buffer.from(response.body),
    }
  }

  return { answerPrivate, performWrite }
}

/** The `Idempotency-Key` of a write; null if there is none. */
const idempotencyKeyOf = ({ headers }: IncomingMessage): string | null => {
  const key = headers['idempotency-key']
  if (key === undefined) return null
  if (typeof key === 'string' && /^[!-~]{1,255}$/.test(key)) return key
  throw invalidRequest('Idempotency-Key', `invalid value ${quoted(key)}`, '1 to 255 printable ASCII characters')
}

/** Equal for two requests of the same method, path, query and body. */
const fingerprintOf = ({ name }: WriteEndpoint, query: object, body: object): string =>
  createHash('sha256')
    .update(JSON.stringify([name, query, body]))
    .digest('hex')

/** Runs work under an id. A second run of the same id throws a 409 while the first is running. */
const exclusively = () => {
  const running = new Set<string>()
  return async <T>(id: string | null, work: () => Promise<T>): Promise<T> => {
    if (id === null) return work()
    if (running.has(id)) {
      throw new ApiError(
        'idempotency_conflict',
        'Idempotency-Key: the first request with this key is still running; expected a retry after it has ended.',
      )
    }
    running.add(id)
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof IdempotencyMismatch)) throw error
      throw new ApiError(
        'idempotency_mismatch',
        'Idempotency-Key: used before for another request; expected a new key for another path, query or body.',
      )
    } finally {
      running.delete(id)
    }
  }
}
