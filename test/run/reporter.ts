import { relative } from 'node:path'

import type { Reporter, TestModule } from 'vitest/node'

/** Prints the seconds of each part of the tests at the end of a run. */
export const partsReporter: Reporter = {
  onTestRunEnd: (modules) => {
    // Vitest itself prints the seconds of a single file.
    if (modules.length < 2) return
    for (const project of ['unit', 'postgres', 'proof']) {
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

/** A finished test file. */
export type Ran = { path: string; seconds: number; n_tests: number }

/** A line for each folder of tests, with the summed seconds of its files, which may run in parallel. */
export function secondsByFolder(files: readonly Ran[]): string[] {
  const folders = new Map<string, { seconds: number; n_tests: number }>()
  for (const { path, seconds, n_tests } of files) {
    const folder = path.split('/').slice(0, 2).join('/')
    const sum = folders.get(folder) ?? { seconds: 0, n_tests: 0 }
    folders.set(folder, { seconds: sum.seconds + seconds, n_tests: sum.n_tests + n_tests })
  }
  return [...folders]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([folder, { seconds, n_tests }]) => `${seconds.toFixed(1).padStart(7)} s  ${folder}, ${n_tests} tests`)
}

/** A line for each of the slowest test files, the slowest first. */
export const secondsOfSlowest = (files: readonly Ran[], n: number): string[] =>
  files
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, n)
    .map(({ path, seconds, n_tests }) => `${seconds.toFixed(1).padStart(7)} s  ${path}, ${n_tests} tests`)
