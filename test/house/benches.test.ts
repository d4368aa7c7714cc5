import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

import { expect, test } from 'vitest'

import { loader } from '#test/run/loader.ts'

/**
 * Benchmarks at their least size, by name. Those that measure seconds of a running service take minutes at any size.
 */
const least: Readonly<Record<string, string>> = {
  catalog: '--parts 4 --small 4 --large 40',
  hours: '--trades 600 --rounds 1',
  ingest: '--blocks 20 --rounds 1',
  ledger: '--fills 20000 --rounds 1',
  lots: '--trades 20000 --rounds 1',
  scores: '--fills 20000 --rounds 1',
  social: '--posts 1000 --rounds 1',
  solana: '--blocks 2 --rounds 1',
  write: '--rows 2000 --runs 1',
}

test.each(Object.entries(least))('the benchmark %s runs, and ends with a ratio', async (name, options) => {
  const args = [...loader, 'bench/run/bench.ts', name, ...options.split(' ')]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/^ratio [a-z-]+ \d+(\.\d+)?$/)
})
