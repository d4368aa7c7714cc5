import { afterAll, vi } from 'vitest'

/** Unit tests share a process. This removes the fakes that a failed file left behind. */
afterAll(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
})
