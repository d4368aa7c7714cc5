import { availableParallelism } from 'node:os'

import { defineConfig } from 'vitest/config'

import { findPostgres } from './scripts/postgres/find.ts'
import { isDaily, ofPostgres, onPostgres, proofFiles, runFiles, storeOfProject } from './test/run/projects.ts'
import { partsReporter } from './test/run/reporter.ts'
import { LongestFirst } from './test/run/sequencer.ts'

/** Ends a test that hangs. It lies far beyond the slowest test on a busy machine, since no test rests on speed. */
const limit_ms = 600_000

/** Processes, since DuckDB is native code, and its threads do not outlive them. */
const both = {
  pool: 'forks',
  testTimeout: limit_ms,
  hookTimeout: limit_ms,
  expect: { poll: { timeout: limit_ms } },
  setupFiles: 'test/run/test_setup.ts',
} as const
const proof = { include: runFiles, globalSetup: 'test/run/global_setup.ts' }
const unit = {
  include: ['test/**/*.test.ts'],
  exclude: [...proofFiles, ofPostgres],
  isolate: false,
}
/** Tests of the other projects, with their accounts in PostgreSQL. */
const postgres = {
  include: isDaily || (await findPostgres()) === undefined ? [ofPostgres] : [ofPostgres, ...onPostgres],
  isolate: false,
  env: { [storeOfProject]: 'postgres' },
  globalSetup: 'test/run/postgres_setup.ts',
}

export default defineConfig({
  test: {
    // One worker more than cores, since proofs wait at times. The default is one worker fewer than cores.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', partsReporter],
    projects: [
      { test: { name: 'proof', ...both, ...proof } },
      { test: { name: 'unit', ...both, ...unit } },
      { test: { name: 'postgres', ...both, ...postgres } },
    ],
  },
})
