import { relative } from 'node:path'

import { BaseSequencer, type TestSpecification } from 'vitest/node'

import { placeOf, proofs } from './projects.ts'

/**
 * Starts proofs in the order of their list, then the tests on PostgreSQL, then the unit tests, which are short and fill
 * the last gaps of the cores. A process that files share ends when the next file is of another project, so projects do
 * not mix. Vitest requires a class.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config
    const rankOf = ({ moduleId, project }: TestSpecification): number => {
      if (project.name !== 'proof') return proofs.length + (project.name === 'postgres' ? 0 : 1)
      return placeOf(relative(root, moduleId))
    }
    return files.toSorted((a, b) => rankOf(a) - rankOf(b) || (a.moduleId < b.moduleId ? -1 : 1))
  }
}
