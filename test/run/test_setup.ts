import fc from 'fast-check'
import { afterAll, vi } from 'vitest'

import { cpuSeconds } from './cpu.ts'

/** A report of a failed property names the error itself, which a summary of a run otherwise leaves out. */
fc.configureGlobal({ includeErrorInReport: true })

/** Ends the search for a smaller example before the limit of a test, so that the report of a failure names its seed. */
const shrinking_ms = 540_000
const shared: typeof globalThis & { isShrinkingLimited?: true; cpuOfEarlierFiles_s?: number } = globalThis
if (shared.isShrinkingLimited === undefined)
  fc.installGlobalPlugin(fc.interruptAfterTimeLimit(shrinking_ms, { failOnInterrupt: true }))
shared.isShrinkingLimited = true

/** Unit tests share a process. This removes the fakes that a failed file left behind. */
afterAll(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
})

/** This hook runs last. A file of a shared process is charged what the process used since the file before. */
// oxlint-disable-next-line no-empty-pattern -- vitest reads which fixtures a hook wants from this pattern
afterAll(({}, { file }) => {
  const now_s = cpuSeconds()
  Object.assign(file.meta, { cpu_s: now_s - (shared.cpuOfEarlierFiles_s ?? 0) })
  shared.cpuOfEarlierFiles_s = now_s
})
