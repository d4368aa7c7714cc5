import { z } from 'zod'

import type { HttpError } from '#ingest/http/http.ts'

/** The body of an error of the Data API v2. Its texts change, so that only the fields below decide. */
const errorShape = z.object({
  error: z.string(),
  /** Missing on some 400s. */
  code: z.string().optional(),
  retryable: z.boolean().optional(),
  trace_id: z.string().optional(),
  parameter: z.string().optional(),
})

export type ErrorBody = z.output<typeof errorShape>

/** The body of an error; null for a body in another form, such as a gateway's page. */
export function errorBodyOf({ body }: HttpError): ErrorBody | null {
  try {
    const parsed = errorShape.safeParse(JSON.parse(body))
    return parsed.success ? parsed.data : null
  } catch {
    return null
  }
}

/**
 * Whether the venue has no such account: a contract of the protocol, or an unknown address. Any other 400 is a defect
 * of the request, and a 404 without the code is a missing route.
 */
export function isNoAccount(error: HttpError): boolean {
  const { code, parameter } = errorBodyOf(error) ?? {}
  if (parameter !== 'user') return false
  return error.status === 400
    ? (code ?? 'invalid_request') === 'invalid_request'
    : error.status === 404 && code === 'not_found'
}
