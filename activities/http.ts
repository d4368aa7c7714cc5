import type { z } from 'zod'

import type { HostName } from './hosts.ts'

export type HttpRequest = {
  host: HostName
  path: string
  /** Values that are undefined are left out. */
  query?: Record<string, string | number | boolean | undefined>
}

/**
 * Asks an upstream for JSON and parses it by a zod shape. It waits for the host's rate, retries what may pass, and
 * throws an {@link HttpError} when the upstream said no or kept failing. A source never sees anything but this
 * function, so the same source runs on the network and on stored bodies.
 */
export type Get = <T>(request: HttpRequest, shape: z.ZodType<T>) => Promise<T>
