import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'

import type { Reporter, SerializedError, TestModule } from 'vitest/node'
import { z } from 'zod'

import { isDaily } from './projects.ts'
import { secondsByFolder, secondsOf, type RanFile, type Report } from './report.ts'

/** The beginning of a line that a test file prints where its tests cannot run here. */
const skipping = 'skipped: '

const reasons = new Set<string>()

/** Prints the CPU seconds of each part of the tests at the end of a run, and what did not run. */
export const partsReporter: Reporter = {
  onUserConsoleLog: ({ content }) => {
    for (const line of content.split('\n')) if (line.startsWith(skipping)) reasons.add(line.slice(skipping.length))
  },
  onTestRunEnd: (modules, errors) => {
    const left = isDaily ? ['most proofs: PROOF=short npm test runs all of them, bash .ci/run in full'] : []
    const report: Report = {
      files: modules.map(ranFile),
      errors: errors.map(textOf),
      leftOut: [...[...reasons].toSorted(), ...left],
    }
    const file = process.env['TEST_REPORT']
    if (file !== undefined) writeFileSync(file, JSON.stringify(report))
    if (modules.length > 1) print(report)
  },
}

function print({ files, leftOut }: Report): void {
  const lines = ['unit', 'postgres', 'proof'].flatMap((project) => {
    const ran = files.filter((one) => one.project === project)
    return ran.length === 0 ? [] : ['', secondsOf(project, ran), ...secondsByFolder(ran)]
  })
  const left = leftOut.map((reason) => `left out: ${reason}`)
  process.stdout.write(`${[...lines, '', ...left, ''].join('\n')}\n`)
}

const metaShape = z.object({ cpu_s: z.number().default(0) })

function ranFile(module: TestModule): RanFile {
  const { duration, setupDuration, collectDuration, prepareDuration } = module.diagnostic()
  return {
    path: relative(process.cwd(), module.moduleId),
    project: module.project.name,
    seconds: (duration + setupDuration + collectDuration + prepareDuration) / 1000,
    cpu_s: metaShape.parse(module.meta()).cpu_s,
    errors: [module, ...module.children.allSuites()].flatMap((suite) => suite.errors()).map(textOf),
    tests: [...module.children.allTests()].map((test) => {
      const { state, errors = [] } = test.result()
      return { name: test.fullName, state: state === 'pending' ? 'skipped' : state, errors: errors.map(textOf) }
    }),
  }
}

const textOf = ({ message, stack = '' }: SerializedError): string =>
  stack.includes(message) ? stack : `${message}\n${stack}`
