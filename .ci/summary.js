// Sums what vitest's JSON reporter wrote: the seconds of each folder of tests, and in the last line what passed, failed
// and was skipped over all runs. Exits with 1 when anything failed or was skipped, or a run left no report.
import { existsSync, readFileSync } from 'node:fs'
import { basename, relative } from 'node:path'

const total = { passed: 0, failed: 0, skipped: 0 }

for (const path of process.argv.slice(2)) {
  const run = basename(path, '.json')
  if (!existsSync(path)) {
    process.stdout.write(`${run}: no report\n`)
    total.failed += 1
    continue
  }
  const suites = new Map()
  for (const { name, status, assertionResults, startTime, endTime } of JSON.parse(readFileSync(path, 'utf8')).testResults) {
    const folder = relative(process.cwd(), name).split('/').slice(0, 2).join('/')
    const suite = suites.get(folder) ?? { ms: 0, tests: 0 }
    suites.set(folder, { ms: suite.ms + endTime - startTime, tests: suite.tests + assertionResults.length })
    for (const test of assertionResults) {
      if (test.status === 'passed' || test.status === 'failed') total[test.status] += 1
      else total.skipped += 1
    }
    // A file that could not be loaded has no tests to fail.
    if (status === 'failed' && assertionResults.every((test) => test.status !== 'failed')) total.failed += 1
  }
  for (const [folder, { ms, tests }] of [...suites].sort(([a], [b]) => (a < b ? -1 : 1))) {
    process.stdout.write(`${(ms / 1000).toFixed(1).padStart(7)} s  ${run}  ${folder}  ${tests} tests\n`)
  }
}

process.stdout.write(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`)
process.exitCode = total.failed + total.skipped > 0 ? 1 : 0
