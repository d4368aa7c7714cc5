import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

import type { Model } from '#lake/model.ts'
import { loadModels } from '#lake/models.ts'

import { ledger } from './core/ledger.ts'
import { clvShrinkage } from './metrics/clv_shrinkage.ts'

/** All models: every `.sql` of this folder, and the folds. A fold is one line here. */
export const loadScoring = (): Promise<Model[]> =>
  loadModels(dirname(fileURLToPath(import.meta.url)), [ledger, clvShrinkage])
