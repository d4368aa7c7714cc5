import { describe, expect, it } from 'vitest'

import { command } from './server.ts'

/**
 * Like `describe`, for tests that need a real Temporal server. Where there is none they are skipped, and say so; in CI
 * they fail.
 */
export function describeOnTemporal(name: string, tests: () => void): void {
  const isMissing = command === undefined
  if (isMissing && process.env['CI'] !== undefined) {
    it(name, () => {
      expect.fail('there is no command temporal to test with: npx tsx scripts/temporal.ts builds it')
    })
  } else describe.skipIf(isMissing)(isMissing ? `${name} (there is no temporal: see docs/temporal.md)` : name, tests)
}
