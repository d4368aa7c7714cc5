import { HttpError } from '#activities/http.ts'

/** What it comes to, or the error of a route that is not there. */
export const unless404 = <T>(reading: Promise<T>): Promise<T | HttpError> =>
  reading.catch((error: unknown) => {
    if (error instanceof HttpError && error.status === 404) return error
    throw error
  })
