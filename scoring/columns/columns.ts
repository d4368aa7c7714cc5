import { chainColumns } from './chains.ts'
import { commonColumns } from './common.ts'
import { lotColumns } from './lots.ts'
import { marketColumns } from './markets.ts'
import { profileColumns } from './profiles.ts'
import { scoreColumns } from './scores.ts'
import { signalColumns } from './signals.ts'
import { socialColumns } from './social.ts'

/** The parts of the dictionary, of which no two define the same. */
export const columnsBySubject = {
  common: commonColumns,
  markets: marketColumns,
  chains: chainColumns,
  lots: lotColumns,
  social: socialColumns,
  profiles: profileColumns,
  scores: scoreColumns,
  signals: signalColumns,
}

/**
 * The dictionary of columns: the meaning and unit of each name, of `meta`, the lake and all models. An entry
 * `table.name` holds in the tables of that name, where the name means something narrower. The analysts' file has the
 * texts as comments.
 */
export const columns: Readonly<Record<string, string>> = {
  ...commonColumns,
  ...marketColumns,
  ...chainColumns,
  ...lotColumns,
  ...socialColumns,
  ...profileColumns,
  ...scoreColumns,
  ...signalColumns,
}
