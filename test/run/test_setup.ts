import fc from 'fast-check'
import { afterAll, vi } from 'vitest'

/**
 * A report of a failed property names the error itself, which a summary of a run otherwise leaves out. A search for a
 * smaller example ends before the limit of a test, so that the report names the seed.
 */
fc.configureGlobal({ includeErrorInReport: true, interruptAfterTimeLimit: 540_000, markInterruptAsFailure: true })

/** Unit tests share a process. This removes the fakes that a failed file left behind. */
afterAll(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
})
