import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // A process for each file: DuckDB is native code, and its threads do not outlive the process.
    pool: 'forks',
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
})
