import type { z } from 'zod'

import type { Caller } from '#accounts/keys.ts'
import type { EndpointName, Tier } from '#accounts/tiers.ts'
import type { As, Endpoint, ListEndpoint } from '#api/contract/endpoint.ts'
import { ApiError, notReady } from '#api/contract/errors.ts'
import { parseQuery } from '#api/contract/input.ts'
import { whyNotReady } from '#api/http/answer_public.ts'
import { assertMayUse } from '#api/http/authenticate.ts'
import type { Marts, Snapshot } from '#snapshots/marts.ts'
import { askedBy } from '#snapshots/queries.ts'
import type { Micros } from '#time.ts'

/** The response of a GET endpoint, as REST serves it to the same caller. */
export type Read = {
  body: unknown
  asOf: Micros | null
  /** The value of `X-Coverage`. */
  coverage: string | null
  /** The cursor of the next page. */
  next: string | null
}

/** Reads an endpoint for a caller. It throws the errors of a request. */
export type ReadEndpointAs = (endpoint: Endpoint, query: Record<string, string>, as: As) => Promise<Read>

/** A condition on the rows of a list and another order, in SQL over the fields of its items. */
export type Refinement = { where?: string; params?: Record<string, string>; order?: string; limit: number }

/** Rows behind a figure of an endpoint: they need the tier of that endpoint. */
export type Detail<R> = {
  endpoint: EndpointName
  reads: readonly ('scores' | 'pulse')[]
  read: (snapshot: Snapshot, tier: Tier) => Promise<R>
}

/**
 * The reads of one caller. Each checks the tier of the caller, so an answer has nothing that REST would refuse to the
 * same key.
 */
export type Readers = {
  /** An endpoint, as REST serves it. */
  get: <T>(
    name: EndpointName,
    query: Record<string, string>,
    shape: z.ZodType<T>,
  ) => Promise<{ body: T } & Omit<Read, 'body'>>
  /** Items of a list by a condition or an order that REST does not have, from the select of its endpoint. */
  refine: <T>(
    name: EndpointName,
    query: Record<string, string>,
    refinement: Refinement,
    shape: z.ZodType<T>,
  ) => Promise<{ body: T[]; asOf: Micros }>
  detail: <R>(detail: Detail<R>) => Promise<{ rows: R; asOf: Micros }>
}

export function openReaders(parts: { endpoints: readonly Endpoint[]; marts: Marts; read: ReadEndpointAs }) {
  const { endpoints, marts, read } = parts

  const endpointOf = (name: EndpointName, caller: Caller): Endpoint => {
    assertMayUse(caller, name)
    const endpoint = endpoints.find((candidate) => candidate.name === name)
    if (!endpoint || endpoint.method !== 'GET')
      throw new ApiError('not_found', `${name}: not served; expected a GET endpoint.`)
    return endpoint
  }

  const snapshotOf = (reads: readonly ('scores' | 'pulse')[], { asking }: As): Snapshot => {
    const snapshot = marts.current(...reads)
    if (!snapshot) throw notReady(whyNotReady(marts, reads))
    return askedBy(snapshot, asking)
  }

  return (as: As): Readers => ({
    get: async (name, query, shape) => {
      const { body, ...rest } = await read(endpointOf(name, as.caller), query, as)
      return { body: shape.parse(body), ...rest }
    },
    refine: async (name, query, refinement, shape) => {
      const endpoint = endpointOf(name, as.caller)
      if (endpoint.kind !== 'list') throw new Error(`${name}: no list; expected a list`)
      const parsed = parseQuery(endpoint.parameters, new URLSearchParams(query).toString())
      const snapshot = snapshotOf(endpoint.reads(parsed), as)
      const rows = await refineRows(endpoint, { parsed, snapshot, tier: as.caller.tier, refinement })
      return { body: rows.map((row) => shape.parse(row)), asOf: snapshot.asOf }
    },
    detail: async (detail) => {
      assertMayUse(as.caller, detail.endpoint)
      const snapshot = snapshotOf(detail.reads, as)
      return { rows: await detail.read(snapshot, as.caller.tier), asOf: snapshot.asOf }
    },
  })
}

async function refineRows(
  endpoint: ListEndpoint,
  { parsed, snapshot, tier, refinement }: { parsed: object; snapshot: Snapshot; tier: Tier; refinement: Refinement },
): Promise<object[]> {
  const { sql, params, order } = endpoint.rows(parsed, snapshot, tier)
  const { where = 'true', limit } = refinement
  const listOrder = order.map(({ column, isDescending }) => `${column}${isDescending ? ' desc' : ''}`).join(', ')
  const by = refinement.order === undefined ? listOrder : `${refinement.order}, ${listOrder}`
  const fields = Object.keys(endpoint.item.shape).join(', ')
  const rows = await snapshot.query(
    `select ${fields} from (select * from (${sql}) where ${where} order by ${by} limit ${limit})`,
    { ...params, ...refinement.params },
  )
  return rows.map(endpoint.present)
}
