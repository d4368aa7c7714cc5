import { relative } from 'node:path'

import { BaseSequencer, type TestSpecification } from 'vitest/node'

import { placeOf, proofs } from './projects.ts'

/**
 * Starts proofs in the order of their list, then the unit tests, which are short and fill the last gaps of the cores.
 * Vitest requires a class.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config
    const rankOf = ({ moduleId }: TestSpecification): number => {
      const place = placeOf(relative(root, moduleId))
      return place === -1 ? proofs.length : place
    }
    return files.toSorted((a, b) => rankOf(a) - rankOf(b) || (a.moduleId < b.moduleId ? -1 : 1))
  }
}
