import { describe, expect, it } from 'vitest'

import { command } from './server.ts'

/**
 * Like `describe`, for tests that need a real Temporal server. Without the command `temporal` they are skipped with the
 * reason; in CI they fail.
 */
export function describeOnTemporal(name: string, tests: () => void): void {
  const isMissing = command === undefined
  if (isMissing && process.env['CI'] !== undefined) {
    it(name, failWithoutTemporal)
  } else {
    if (isMissing) console.warn('skipped: the command temporal is missing; npx tsx scripts/temporal.ts builds it')
    describe.skipIf(isMissing)(name, tests)
  }
}

function failWithoutTemporal(): void {
  expect.fail('temporal: command not found; expected one, which npx tsx scripts/temporal.ts builds')
}
