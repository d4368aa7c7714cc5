import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { parseArgs } from 'node:util'

import { reportShape, secondsByFolder, secondsOf, secondsOfMost, type RanFile } from '#test/run/report.ts'

type Total = { passed: number; failed: number; skipped: number }

/**
 * `tsx scripts/summary.ts [--daily <report>] <report>...`: sums the reports of runs. It prints the CPU seconds of each
 * folder of tests and of the costliest files, and each failed or skipped test. The last line has the numbers of passed,
 * failed and skipped tests over all full runs. A run without a report is a failure.
 *
 * `--daily` names the report of `npm test`. It may skip tests, and says what it left out; its numbers are a line of
 * their own.
 */
async function summarize(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: { daily: { type: 'string' } } })
  const daily = values.daily === undefined ? undefined : await totalOf(values.daily, ['failed'])
  const full: Total = { passed: 0, failed: 0, skipped: 0 }
  for (const path of positionals) {
    const total = await totalOf(path, ['failed', 'skipped'])
    for (const state of ['passed', 'failed', 'skipped'] as const) full[state] += total[state]
  }
  if (daily !== undefined) process.stdout.write(`npm test: ${numbersOf(daily)}\n`)
  process.stdout.write(`${numbersOf(full)}\n`)
  process.exitCode = (daily?.failed ?? 0) + full.failed + full.skipped > 0 ? 1 : 0
}

const numbersOf = ({ passed, failed, skipped }: Total): string =>
  `${passed} passed, ${failed} failed, ${skipped} skipped`

/** Prints a report, with each test that is in one of the states. */
async function totalOf(path: string, faulty: readonly string[]): Promise<Total> {
  const run = basename(path, '.json')
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text === undefined) {
    process.stdout.write(`${run}: no report\n`)
    return { passed: 0, failed: 1, skipped: 0 }
  }
  const { files, errors, leftOut } = reportShape.parse(JSON.parse(text))
  const lines = [
    secondsOf(run, files),
    ...[...secondsByFolder(files), ...secondsOfMost(files, 20)].map((line) => `${line}, ${run}`),
    ...leftOut.map((reason) => `${run} left out: ${reason}`),
    ...errors.map((error) => `${run} failed${firstLines(error)}`),
    ...files.flatMap((file) => faultsOf(file, faulty)).map((fault) => `${run} ${fault}`),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
  const states = files.flatMap(({ tests }) => tests.map(({ state }) => state))
  const count = (wanted: string): number => states.filter((state) => state === wanted).length
  // A file that could not be loaded has no tests to fail.
  const n_broken = errors.length + files.filter(isBroken).length
  return { passed: count('passed'), failed: count('failed') + n_broken, skipped: count('skipped') }
}

const isBroken = ({ errors, tests }: RanFile): boolean =>
  errors.length > 0 && tests.every(({ state }) => state !== 'failed')

/** The errors of a file, and its tests in one of the states, each with the first lines of its error. */
const faultsOf = ({ path, errors, tests }: RanFile, faulty: readonly string[]): string[] => [
  ...errors.map((error) => `failed: ${path}${firstLines(error)}`),
  ...tests
    .filter(({ state }) => faulty.includes(state))
    .map((test) => `${test.state}: ${path}: ${test.name}${firstLines(test.errors.join('\n'))}`),
]

const firstLines = (message: string): string =>
  message
    .split('\n')
    .filter((line) => line !== '')
    .slice(0, 6)
    .map((line) => `\n    ${line.slice(0, 300)}`)
    .join('')

await summarize(process.argv.slice(2))
