import { describe, expect, it } from 'vitest'

import { command } from './server.ts'

/**
 * Like `describe`, for tests that need a real Temporal server. Without the command `temporal` they are skipped with the
 * reason; in CI they fail.
 */
export function describeOnTemporal(name: string, tests: () => void): void {
  const isMissing = command === undefined
  const label = isMissing ? `${name} (there is no temporal: see docs/temporal.md)` : name
  if (isMissing && process.env['CI'] !== undefined) {
    it(name, failWithoutTemporal)
  } else {
    describe.skipIf(isMissing)(label, tests)
  }
}

function failWithoutTemporal(): void {
  expect.fail('temporal: command not found; expected one, which npx tsx scripts/temporal.ts builds')
}
