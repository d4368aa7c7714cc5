import { relative } from 'node:path'

import type { Reporter, TestModule } from 'vitest/node'

import { secondsByFolder, type Ran } from './seconds.ts'

/** Says at the end of a run how many seconds each part of the tests took. */
export const partsReporter: Reporter = {
  onTestRunEnd: (modules) => {
    // Of one file vitest itself tells the seconds.
    if (modules.length < 2) return
    for (const project of ['unit', 'proof']) {
      const files = modules.filter((module) => module.project.name === project).map(ranOf)
      const seconds = files.reduce((sum, file) => sum + file.seconds, 0)
      if (files.length === 0) continue
      process.stdout.write(`\n${seconds.toFixed(1).padStart(7)} s  ${project}, of which\n`)
      for (const line of secondsByFolder(files)) process.stdout.write(`${line}\n`)
    }
    process.stdout.write('\n')
  },
}

function ranOf(module: TestModule): Ran {
  const { duration, setupDuration, collectDuration, prepareDuration } = module.diagnostic()
  return {
    path: relative(process.cwd(), module.moduleId),
    seconds: (duration + setupDuration + collectDuration + prepareDuration) / 1000,
    n_tests: [...module.children.allTests()].length,
  }
}
