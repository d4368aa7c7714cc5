import type { IncomingMessage } from 'node:http'

import { z } from 'zod'

import { findChain, nearestSlugs, UnknownChain } from '#registry/chains/find_chain.ts'

import { addressExample, addressForm, addressPattern, parseAddress } from './address.ts'
import { invalidRequest, quoted, ApiError } from './errors.ts'
import { itemForms, itemPatterns, marketExample, parseItem } from './watchlist_items.ts'

/** Query parameters by name. Each schema parses one string; its error message names the accepted values. */
export type Parameters = Record<string, z.ZodType>

const reading = (accepted: string) => ({ error: accepted })

const mostSymbols = 100
const symbolForms = `1 to ${mostSymbols} symbols, separated by commas, each ${itemForms.assets}`

/** Symbols of assets, as one text: in upper case, sorted, each once. */
export const symbols = (about: string) =>
  z
    .string(reading(symbolForms))
    .transform((text, context) => {
      const items = text.split(',').map((symbol) => parseItem('assets', symbol)?.shown)
      const shown = items.filter((symbol) => symbol !== undefined)
      if (shown.length === items.length && items.length <= mostSymbols) return [...new Set(shown)].sort().join(',')
      context.addIssue({ code: 'custom', message: symbolForms })
      return z.NEVER
    })
    .meta({
      type: 'string',
      pattern: `^${itemPatterns.assets}(,${itemPatterns.assets}){0,${mostSymbols - 1}}$`,
      description: `${about}: ${symbolForms}. By default all tracked assets.`,
      example: 'BTC,ETH',
    })

/** One of several words, with a default. */
export const choice = <const T extends readonly [string, ...string[]]>(values: T, preset: T[number], about: string) =>
  z
    .enum(values, reading(`one of ${values.join(', ')}`))
    .meta({ description: about })
    .default(preset as z.util.NoUndefined<T[number]>)

/** The most items of a page. */
export const largestPage = 1_000

const limitOf = (pageSize: number) =>
  z
    .string()
    .regex(/^0*([1-9]\d{0,2}|1000)$/, reading('a whole number from 1 to 1000, digits only'))
    .transform(Number)
    .meta({
      type: 'integer',
      minimum: 1,
      maximum: 1000,
      ...(pageSize === largestPage ? {} : { default: pageSize }),
      description: `Maximum number of items in the page. Default: ${pageSize.toLocaleString('en')}, and all items over the following pages.`,
    })

const cursor = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,1000}$/, reading('the cursor from the Link header of the previous page'))
  .meta({
    description:
      'Start of the page: the cursor from the `Link` header of the previous page, with the other parameters of that ' +
      'page. `limit` may differ. Only the server makes cursors.',
  })

/** Parameters of every list. */
export const pagingOf = (pageSize: number) => ({ limit: limitOf(pageSize).optional(), cursor: cursor.optional() })

/** An EVM or Solana address, required. */
export const address = (about: string) =>
  z
    .string(reading(addressForm))
    .transform((text, context) => {
      const parsed = parseAddress(text)
      if (!parsed) context.addIssue({ code: 'custom', message: addressForm })
      return parsed ?? z.NEVER
    })
    .meta({
      type: 'string',
      pattern: `^(${addressPattern})$`,
      description: `${about}: ${addressForm}.`,
      example: addressExample,
    })

const chainName = /^[A-Za-z0-9_-]{1,40}$/
const chainForms = 'the slug of a chain, its chain id or its name in viem'

/** A chain by any of its names, as its slug; or one of the words. */
export const chain = (about: string, words: readonly string[] = []) =>
  z
    .string(reading(chainForms))
    .transform((text, context) => {
      if (words.includes(text.toLowerCase())) return text.toLowerCase()
      try {
        if (chainName.test(text)) return findChain(text).slug
      } catch (error) {
        if (!(error instanceof UnknownChain)) throw error
      }
      // A long text is no misspelling, and its distances would cost time.
      const nearest = nearestSlugs(text.slice(0, 40)).join(', ')
      context.addIssue({ code: 'custom', message: `${[...words, chainForms].join(', or ')}, such as ${nearest}` })
      return z.NEVER
    })
    .meta({
      type: 'string',
      pattern: chainName.source,
      description: `${about}: ${[...words.map((word) => `\`${word}\``), chainForms].join(', or ')}, in any case.`,
      example: 'base',
    })

/** The id of a market or the symbol of an asset, as it is served. */
const item = (type: 'markets' | 'assets', about: string, example: string) =>
  z
    .string(reading(itemForms[type]))
    .transform((text, context) => {
      const parsed = parseItem(type, text)
      if (!parsed) context.addIssue({ code: 'custom', message: itemForms[type] })
      return parsed?.shown ?? z.NEVER
    })
    .meta({ type: 'string', pattern: `^${itemPatterns[type]}$`, description: `${about}: ${itemForms[type]}.`, example })

export const market = (about: string) => item('markets', about, marketExample)
export const asset = (about: string) => item('assets', about, 'SOL')

/**
 * Parses a query string strictly: every parameter is known, given once, not empty and valid. Throws a 400 that names
 * the first invalid parameter.
 */
export const parseQuery = <P extends Parameters>(parameters: P, search: string): { [K in keyof P]: z.output<P[K]> } => {
  const texts: Record<string, string> = Object.create(null)
  const names = Object.keys(parameters)
  for (const [name, value] of new URLSearchParams(search)) {
    if (!names.includes(name)) {
      throw invalidRequest(quoted(name), 'unknown parameter', names.join(', ') || 'no parameters')
    }
    if (Object.hasOwn(texts, name)) throw invalidRequest(name, 'given more than once', 'one value')
    texts[name] = value
  }
  const values: Record<string, unknown> = {}
  for (const name of names) {
    const read = parameters[name]?.safeParse(texts[name])
    if (read?.success) values[name] = read.data
    else throw invalidRequest(name, problemOf(texts[name]), read?.error.issues[0]?.message ?? '')
  }
  return values as { [K in keyof P]: z.output<P[K]> }
}

const problemOf = (value: string | undefined): string => {
  if (value === undefined) return 'missing'
  return value === '' ? 'empty' : `invalid value ${quoted(value)}`
}

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
    const fields = path.length === 0 ? Object.keys(schema.shape).join(', ') : 'the documented fields only'
    return invalidRequest(thing, `unknown field ${quoted(issue.keys[0] ?? '')}`, fields)
  }
  const fieldValue = path.reduce<unknown>(
    (parent, key) => (parent as Record<PropertyKey, unknown> | undefined)?.[key],
    value,
  )
  const isSecret = /password|token/i.test(thing)
  const problem = fieldValue === undefined ? 'missing' : `invalid value${isSecret ? '' : ` ${quoted(fieldValue)}`}`
  return invalidRequest(thing, problem, expectationOf(issue?.message ?? 'a valid value'))
}

/** `string` of zod's own "Invalid input: expected string, received number"; a message of the schema as it is. */
const expectationOf = (message: string): string =>
  message
    .replace(/^([A-Z][a-z ]*: )?expected /, '')
    .replace(/, received .*$/, '')
    .replace(/^(object|record)$/, 'a JSON object')

const tooLarge = () =>
  new ApiError('payload_too_large', 'body: too large; expected at most 64 KiB.', { Connection: 'close' })

const unsupported = (header: string, received: string | undefined, expected: string) =>
  new ApiError(
    'unsupported_media_type',
    `${header}: ${received === undefined ? 'missing' : `unsupported value ${quoted(received)}`}; expected ${expected}.`,
  )
