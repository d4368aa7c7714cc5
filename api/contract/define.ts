import type { z } from 'zod'

import type { EndpointName, Tier } from '#accounts/tiers.ts'
import type { Snapshot } from '#snapshots/marts.ts'
import type { PublicationName } from '#snapshots/publications.ts'

import type { Coverage } from './coverage.ts'
import type {
  AskContext,
  AskEndpoint,
  ListEndpoint,
  PathOf,
  PrivateContext,
  PrivateEndpoint,
  PublicContext,
  ReadEndpoint,
  ReadResult,
  Result,
  Selection,
  SuccessStatus,
  WriteEndpoint,
  WriteMethod,
} from './endpoint.ts'
import { largestPage, pagingOf, type Parameters } from './input.ts'

type Values<P extends Parameters> = { [K in keyof P]: z.output<P[K]> }

type Described<P extends Parameters, S extends z.ZodObject> = {
  summary: string
  doc: string
  query: P
  item: S
  example: z.output<S>
}

type Publications = readonly PublicationName[]

type Public<P extends Parameters> = {
  path: PathOf<'GET'>
  /** The publications that the answer reads. The answer is valid while their snapshots are current. */
  reads: Publications | ((query: Values<P>) => Publications)
}

/** A public list: served as an array in pages, as JSON or CSV. */
export const defineList = <P extends Parameters, S extends z.ZodObject>(
  definition: Described<P, S> &
    Public<P> & {
      /** Items of a page without `limit`: by default 1,000. */
      pageSize?: number
      isByTier?: boolean
      isStreamed?: boolean
      rows: (query: Values<P>, snapshot: Snapshot, tier: Tier) => Selection
      /** Converts a row to its item, if they differ. */
      present?: (row: z.output<S>) => z.output<S>
      headers?: Record<string, string>
      /** Throws a 400 if valid parameters do not fit the snapshot. */
      assertFits?: (snapshot: Snapshot, query: Values<P>) => Promise<void>
      /** The value of `X-Coverage`; null for a list without that header. */
      coverage?: (snapshot: Snapshot, query: Values<P>) => Promise<Coverage | null>
    },
): ListEndpoint => ({
  ...described('GET', definition),
  kind: 'list',
  parameters: { ...definition.query, ...pagingOf(definition.pageSize ?? largestPage) },
  isArray: true,
  headers: definition.headers ?? {},
  pageSize: definition.pageSize ?? largestPage,
  isByTier: definition.isByTier ?? false,
  isStreamed: definition.isStreamed ?? false,
  reads: readsOf(definition.reads),
  rows: definition.rows as ListEndpoint['rows'],
  present: (definition.present ?? ((row) => row)) as ListEndpoint['present'],
  assertFits: (definition.assertFits ?? (() => Promise.resolve())) as ListEndpoint['assertFits'],
  coverage: (definition.coverage ?? (() => Promise.resolve(null))) as ListEndpoint['coverage'],
})

/** A public read: served as one object. */
export const defineRead = <P extends Parameters, S extends z.ZodObject>(
  definition: Described<P, S> &
    Public<P> & {
      headers: Record<string, string>
      assertFits?: (query: Values<P>) => void
      read: (query: Values<P>, context: PublicContext) => Promise<ReadResult<z.output<S>>>
    },
): ReadEndpoint => ({
  ...described('GET', definition),
  kind: 'read',
  isArray: false,
  headers: definition.headers,
  reads: readsOf(definition.reads),
  assertFits: (definition.assertFits ?? (() => undefined)) as ReadEndpoint['assertFits'],
  read: definition.read as ReadEndpoint['read'],
})

/** A private read: data of the calling account, as one object or as a whole array. It needs no snapshot. */
export const definePrivate = <P extends Parameters, S extends z.ZodObject, const A extends boolean>(
  definition: Described<P, S> & {
    path: PathOf<'GET'>
    isArray: A
    read: (query: Values<P>, context: PrivateContext) => Promise<Result<A extends true ? z.output<S>[] : z.output<S>>>
  },
): PrivateEndpoint => ({
  ...described('GET', definition),
  kind: 'private',
  isArray: definition.isArray,
  headers: {},
  read: definition.read as PrivateEndpoint['read'],
})

/**
 * A write: changes the calling account and returns one object. It runs in one transaction, and at most once for each
 * `Idempotency-Key`, so `write` must do database work only.
 */
export const defineWrite = <
  const M extends WriteMethod,
  P extends Parameters,
  S extends z.ZodObject,
  B extends z.ZodObject | null,
>(
  definition: Described<P, S> & {
    method: M
    path: PathOf<M>
    /** A strict object; null for a write without a body. */
    body: B
    bodyExample: B extends z.ZodObject ? z.input<B> : null
    status: SuccessStatus
    headers: Record<string, string>
    write: (
      request: { query: Values<P>; body: B extends z.ZodObject ? z.output<B> : object },
      context: PrivateContext,
    ) => Promise<Result<z.output<S>>>
  },
): WriteEndpoint => ({
  ...described<WriteMethod, P, S>(definition.method, { ...definition, path: definition.path as PathOf<WriteMethod> }),
  kind: 'write',
  isArray: false,
  headers: definition.headers,
  body: definition.body && { schema: definition.body, example: definition.bodyExample },
  status: definition.status,
  write: definition.write as unknown as WriteEndpoint['write'],
})

/** A question: reads other endpoints for its caller, by a JSON body, and returns one object. */
export const defineAsk = <S extends z.ZodObject, B extends z.ZodObject>(
  definition: Omit<Described<Parameters, S>, 'query'> & {
    path: PathOf<'POST'>
    body: B
    bodyExample: z.input<B>
    headers: Record<string, string>
    ask: (body: z.output<B>, context: AskContext) => Promise<Result<z.output<S>>>
  },
): AskEndpoint => ({
  ...described('POST', { ...definition, query: {} }),
  kind: 'ask',
  isArray: false,
  headers: definition.headers,
  body: { schema: definition.body, example: definition.bodyExample },
  ask: definition.ask as unknown as AskEndpoint['ask'],
})

const described = <M extends 'GET' | WriteMethod, P extends Parameters, S extends z.ZodObject>(
  method: M,
  { path, summary, doc, query, item, example }: Described<P, S> & { path: PathOf<M> },
) => ({ method, path, name: `${method} ${path}` as EndpointName, summary, doc, parameters: query, item, example })

const readsOf = <Q>(reads: Publications | ((query: Q) => Publications)): ListEndpoint['reads'] =>
  (typeof reads === 'function' ? reads : () => reads) as ListEndpoint['reads']

/** A rule of JSON Schema for the bodies of each type, which a schema of the fields cannot say. */
export const byType = <T extends string>(types: readonly T[], ruleOf: (type: T) => object): object[] =>
  types.map((type) => ({
    anyOf: [{ properties: { type: { enum: types.filter((other) => other !== type) } } }, ruleOf(type)],
  }))
