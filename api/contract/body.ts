import type { IncomingMessage } from 'node:http'

import type { z } from 'zod'

import { ApiError, invalidRequest, quoted } from './errors.ts'

const maxBytes = 64 * 1024

/**
 * Throws a 413 for a request with a body over the limit. The body of a request that is not read later may be chunked:
 * it is read here, and dropped.
 */
export const assertBodyFits = async (req: IncomingMessage, isReadLater = true): Promise<void> => {
  if (Number(req.headers['content-length'] ?? 0) > maxBytes) throw tooLarge()
  if (!isReadLater && req.headers['transfer-encoding'] !== undefined) await readBytes(req)
}

/**
 * Reads and validates a JSON body. Throws a 413 for a chunked body over the limit, and a 415 for another content type.
 * Throws a 400 that names the first invalid field.
 */
export async function readBody<S extends z.ZodObject>(req: IncomingMessage, schema: S): Promise<z.output<S>> {
  assertJson(req)
  const encoding = req.headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') throw unsupported('Content-Encoding', encoding, 'identity')
  const value = parseJson(await readBytes(req))
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw refusal(parsed.error.issues[0], value, schema)
}

/** Throws a 415 for a request whose body is not announced as JSON. */
export const assertJson = ({ headers }: IncomingMessage): void => {
  if (!/^application\/json *(; *charset="?utf-8"? *)?$/i.test(headers['content-type'] ?? '')) {
    throw unsupported('Content-Type', headers['content-type'], 'application/json')
  }
}

async function readBytes(req: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let n_bytes = 0
  try {
    // Without the option an end of the loop would close the socket before the answer.
    for await (const chunk of req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      n_bytes += chunk.byteLength
      // A chunked body announces no length.
      if (n_bytes > maxBytes) throw tooLarge()
      chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof ApiError) throw error
    throw invalidRequest('body', 'incomplete', 'all bytes of the body before the connection closes')
  }
  return Buffer.concat(chunks)
}

const parseJson = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown
  } catch {
    throw invalidRequest('body', 'not valid JSON', 'a JSON object in UTF-8')
  }
}

type Issue = z.core.$ZodIssue | undefined

const refusal = (issue: Issue, value: unknown, schema: z.ZodObject): ApiError => {
  const path = issue?.path ?? []
  const thing = path.length === 0 ? 'body' : path.map(String).join('.')
  if (issue?.code === 'unrecognized_keys') {
    const known = path.length === 0 ? Object.keys(schema.shape).join(', ') : 'the documented fields only'
    return invalidRequest(thing, `unknown field ${quoted(issue.keys[0] ?? '')}`, known)
  }
  const given = path.reduce<unknown>((of, key) => (of as Record<PropertyKey, unknown> | undefined)?.[key], value)
  const isSecret = /password|token/i.test(thing)
  const problem = given === undefined ? 'missing' : `invalid value${isSecret ? '' : ` ${quoted(given)}`}`
  return invalidRequest(thing, problem, expectationOf(issue?.message ?? 'a valid value'))
}

/** `string` of zod's own "Invalid input: expected string, received number"; a message of the schema as it is. */
const expectationOf = (message: string): string =>
  message
    .replace(/^[A-Z][a-z ]*: expected /, '')
    .replace(/, received .*$/, '')
    .replace(/^(object|record)$/, 'a JSON object')

const tooLarge = () =>
  new ApiError('payload_too_large', 'body: too large; expected at most 64 KiB.', { Connection: 'close' })

const unsupported = (header: string, given: string | undefined, expected: string) =>
  new ApiError(
    'unsupported_media_type',
    `${header}: ${given === undefined ? 'missing' : `unsupported value ${quoted(given)}`}; expected ${expected}.`,
  )
