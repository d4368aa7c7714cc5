import type { Watched } from '#bin/report/source_metrics.ts'
import { WrongServerSetting } from '#engine/engine.ts'
import type { Micros } from '#time.ts'

/** To the process that follows. `follow` comes once, first; `end` lets all runs end. */
export type Order = { kind: 'follow'; since: Micros } | { kind: 'end' }

/** From the process that follows: that its runs have started, or why they cannot; then the states of its sources. */
export type Report =
  | { kind: 'following' }
  | { kind: 'refused'; message: string; isSetting: boolean }
  | { kind: 'watched'; watched: Watched }

export const refusalOf = (error: unknown): Report => ({
  kind: 'refused',
  message: error instanceof Error ? error.message : String(error),
  isSetting: error instanceof WrongServerSetting,
})

/** The error of a refusal. A wrong setting stays one, since its exit code differs. */
export const errorOf = ({ message, isSetting }: Extract<Report, { kind: 'refused' }>): Error =>
  isSetting ? new WrongServerSetting(message) : new Error(message)
