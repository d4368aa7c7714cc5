import { readFile } from 'node:fs/promises'
import { basename, relative } from 'node:path'

import { z } from 'zod'

import { secondsByFolder, secondsOfSlowest, type Ran } from '#test/run/reporter.ts'

const reportShape = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string(),
      startTime: z.number(),
      endTime: z.number(),
      assertionResults: z.array(
        z.object({ status: z.string(), fullName: z.string(), failureMessages: z.array(z.string()) }),
      ),
    }),
  ),
})
type File = z.output<typeof reportShape>['testResults'][number]

/**
 * `tsx scripts/summary.ts <report.json>...`: sums the reports of vitest's JSON reporter. It prints the seconds of each
 * folder of tests and of the slowest files, and each failed or skipped test. The last line has the numbers of passed,
 * failed and skipped tests over all runs. A run without a report is a failure.
 */
async function summarize(paths: string[]): Promise<void> {
  const total = { passed: 0, failed: 0, skipped: 0 }
  const faults: string[] = []
  for (const path of paths) {
    const report = await readFile(path, 'utf8').catch(() => undefined)
    const run = basename(path, '.json')
    if (report === undefined) {
      process.stdout.write(`${run}: no report\n`)
      total.failed += 1
      continue
    }
    const { testResults } = reportShape.parse(JSON.parse(report))
    for (const file of testResults) {
      const count = countOf(file)
      total.passed += count.passed
      total.failed += count.failed
      total.skipped += count.skipped
      faults.push(...faultsOf(file).map((fault) => `${run} ${fault}`))
    }
    const ran = testResults.map(ranOf)
    for (const line of [...secondsByFolder(ran), ...secondsOfSlowest(ran, 20)])
      process.stdout.write(`${line}, ${run}\n`)
  }
  for (const fault of faults) process.stdout.write(`${fault}\n`)
  process.stdout.write(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`)
  process.exitCode = total.failed + total.skipped > 0 ? 1 : 0
}

function countOf({ status, assertionResults }: File): { passed: number; failed: number; skipped: number } {
  const passed = assertionResults.filter((test) => test.status === 'passed').length
  const failed = assertionResults.filter((test) => test.status === 'failed').length
  // A file that could not be loaded has no tests to fail.
  const broken = status === 'failed' && failed === 0 ? 1 : 0
  return { passed, failed: failed + broken, skipped: assertionResults.length - passed - failed }
}

/**
 * Each failed or skipped test with the first lines of its error. A file that failed to load or set up is listed as a
 * whole.
 */
function faultsOf({ name, status, message, assertionResults }: File): string[] {
  const path = relative(process.cwd(), name)
  const faults = assertionResults
    .filter((test) => test.status !== 'passed')
    .map((test) => `${test.status}: ${path}: ${test.fullName}${firstLines(test.failureMessages.join('\n'))}`)
  return status === 'failed' && message !== '' ? [`failed: ${path}${firstLines(message)}`, ...faults] : faults
}

const firstLines = (message: string): string =>
  message
    .split('\n')
    .slice(0, 6)
    .map((line) => `\n    ${line.slice(0, 300)}`)
    .join('')

/** The report's seconds of a file exclude its imports. */
const ranOf = ({ name, startTime, endTime, assertionResults }: File): Ran => ({
  path: relative(process.cwd(), name),
  seconds: (endTime - startTime) / 1000,
  n_tests: assertionResults.length,
})

await summarize(process.argv.slice(2))
