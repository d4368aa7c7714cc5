import { join } from 'node:path'

import type { Macro, Model } from '#lake/model.ts'
import { loadMacros, loadModels } from '#lake/models.ts'

import { ledger } from './core/ledger.ts'
import { clvShrinkage } from './metrics/clv_shrinkage.ts'

/** All models: every `.sql` of this folder, and the folds. A fold is one line here. */
export const loadScoring = (): Promise<Model[]> => loadModels(import.meta.dirname, [ledger, clvShrinkage])

/** What tells why a number is so: every `.sql` of `explain`. */
export const loadExplain = (): Promise<Macro[]> => loadMacros(join(import.meta.dirname, 'explain'))
