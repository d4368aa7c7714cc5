import { join } from 'node:path'

import { loadMacros, loadModels } from '#builder/load.ts'
import type { Macro, Model } from '#builder/model.ts'

import { nearDuplicates } from './core/attention/near_duplicates.ts'
import { ledger } from './core/ledger/ledger.ts'
import { lotLedger } from './core/lots/lot_ledger.ts'
import { recentTakers } from './core/prices/recent_takers.ts'
import { marketSymbols } from './core/signals/market_symbols.ts'
import { flows } from './core/trades/flows.ts'
import { clvShrinkage } from './metrics/clv/clv_shrinkage.ts'

/** All models: every `.sql` of this folder, and the folds. A fold is one line here. */
export const loadScoring = (): Promise<Model[]> =>
  loadModels(import.meta.dirname, [ledger, recentTakers, clvShrinkage, flows, lotLedger, nearDuplicates, marketSymbols])

/** The macros that explain a number: every `.sql` of `explain`. */
export const loadExplain = (): Promise<Macro[]> => loadMacros(join(import.meta.dirname, 'explain'))
