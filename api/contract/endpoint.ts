import type { z } from 'zod'

import type { EndpointName } from '#accounts/tiers.ts'
import type { Reads, Snapshot } from '#marts/marts.ts'

import { paging, type Parameters } from './parameters.ts'

/** What an endpoint reads from besides its parameters. */
export type Context = {
  snapshot: Snapshot
  /** Notes addresses that were never pulled, so that they will be. */
  want: (addresses: string[]) => Promise<void>
}

/**
 * The rows of a list: a select (its columns hold the item's fields and the order's) with its parameters, and the
 * columns of a total order with their SQL types, which pages are cut by.
 */
export type Selection = {
  sql: string
  params: Record<string, string>
  order: readonly { column: string; type: string; isDescending?: boolean }[]
}

export type Read<T> = { body: T; headers: [string, string][] }

/** The paths that the tiers know: one that no tier lists does not compile. */
type Path<N = EndpointName> = N extends `GET ${infer P}` ? P : never

type Described<P extends Parameters> = {
  path: Path
  summary: string
  /** Markdown for the documentation. */
  doc: string
  query: P
  /** The marts that it reads: an answer is of one snapshot of these, and stays right for as long as that does. */
  reads: Reads | ((query: Values<P>) => Reads)
}

type Values<P extends Parameters> = { [K in keyof P]: z.output<P[K]> }

type List<P extends Parameters, S extends z.ZodObject> = Described<P> & {
  /** One item; the answer is an array of them. */
  item: S
  example: z.output<S>
  rows: (query: Values<P>, snapshot: Snapshot) => Selection
  /** The item of a row, where they differ. */
  present?: (row: z.output<S>) => z.output<S>
}

type Single<P extends Parameters, S extends z.ZodObject> = Described<P> & {
  /** The answer: one object. */
  item: S
  example: z.output<S>
  /** Headers of its own, each with what it says. */
  headers: Record<string, string>
  read: (query: Values<P>, context: Context) => Promise<Read<z.output<S>>>
}

/** An endpoint as the rest of the service sees it; route, validation, documentation and tests all derive from it. */
export type Endpoint = {
  method: 'GET'
  /** Below `/v1`. */
  path: Path
  name: EndpointName
  summary: string
  doc: string
  parameters: Parameters
  reads: (query: object) => Reads
  item: z.ZodObject
  example: unknown
  headers: Record<string, string>
} & (
  | { kind: 'list'; rows: (query: object, snapshot: Snapshot) => Selection; present: (row: object) => object }
  | { kind: 'single'; read: (query: object, context: Context) => Promise<Read<object>> }
)

/** A list: it is served as an array, in pages, as JSON or CSV. */
export const defineList = <P extends Parameters, S extends z.ZodObject>(of: List<P, S>): Endpoint => ({
  ...named(of),
  kind: 'list',
  parameters: { ...of.query, ...paging },
  item: of.item,
  example: of.example,
  headers: {},
  rows: of.rows as (query: object, snapshot: Snapshot) => Selection,
  present: (of.present ?? ((row) => row)) as (row: object) => object,
})

/** An endpoint that answers with one object. */
export const defineEndpoint = <P extends Parameters, S extends z.ZodObject>(of: Single<P, S>): Endpoint => ({
  ...named(of),
  kind: 'single',
  parameters: of.query,
  item: of.item,
  example: of.example,
  headers: of.headers,
  read: of.read as (query: object, context: Context) => Promise<Read<object>>,
})

const named = <P extends Parameters>({ path, summary, doc, reads }: Described<P>) => ({
  method: 'GET' as const,
  path,
  name: `GET ${path}` as const,
  summary,
  doc,
  reads: (typeof reads === 'function' ? reads : () => reads) as (query: object) => Reads,
})
