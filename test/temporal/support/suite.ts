import { describe, expect, it } from 'vitest'

import { command } from './server.ts'

/**
 * Like `describe`, for tests that need a real Temporal server. Without the command `temporal` they are skipped with the
 * reason; in CI they fail.
 */
export function describeOnTemporal(name: string, tests: () => void): void {
  if (command !== undefined) {
    describe(name, tests)
  } else if (process.env['CI'] === undefined) {
    describe.skip(`${name} (there is no temporal: see docs/temporal.md)`, tests)
  } else {
    it(name, () => {
      expect.fail('temporal: command not found; expected one, which npx tsx scripts/temporal.ts builds')
    })
  }
}
