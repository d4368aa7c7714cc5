import { z } from 'zod'

import type { Host } from '#ingest/http/host.ts'
import type { Get } from '#ingest/http/request.ts'

export const manifoldHost: Host = {
  name: 'manifold',
  doc: 'The URL of Manifold',
  url: 'https://api.manifold.example',
  requestsPer10s: 100,
  concurrency: 4,
}

export const VENUE = 'manifold'
export const idOf = (slug: string): string => `${VENUE}:${slug}`

/** The rows of a route of the venue. Amounts are millionths, instants are seconds. */
export const rowsAt = <T>(get: Get, path: string, row: z.ZodType<T>): Promise<T[]> =>
  get({ host: manifoldHost.name, path }, z.array(row))
