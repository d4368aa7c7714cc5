import { afterAll, vi } from 'vitest'

/** Unit tests share a process: what a file of them faked, and did not take back since it failed, ends with the file. */
afterAll(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
})
