import { join } from 'node:path'

import { loadMacros, loadModels } from '#models/load.ts'
import type { Macro, Model } from '#models/model.ts'

import { ledger } from './core/ledger/ledger.ts'
import { clvShrinkage } from './metrics/clv/clv_shrinkage.ts'
import { flows } from './staging/chains/flows.ts'

/** All models: every `.sql` of this folder, and the folds. A fold is one line here. */
export const loadScoring = (): Promise<Model[]> => loadModels(import.meta.dirname, [ledger, clvShrinkage, flows])

/** The macros that explain a number: every `.sql` of `explain`. */
export const loadExplain = (): Promise<Macro[]> => loadMacros(join(import.meta.dirname, 'explain'))
