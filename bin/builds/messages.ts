import type { BuildRequest, PublishResult } from '#activities/building.ts'
import { LeaseHeld } from '#lake/catalog/lease.ts'
import type { Micros } from '#time.ts'

/** The settings of a process that builds. It has no clock of the followed world: each request states the time. */
export type BuildSettings = {
  home: string
  threads: number
  memory: string
  database: string | null
  keepSnapshots_ms: number | null
  signalSecret: Buffer | null
  /** The seconds of the followed world in a second of the machine. */
  speed: number
}

/** To the process that builds. The settings come first, once; `end` aborts all builds. */
export type Order =
  | { kind: 'open'; settings: BuildSettings }
  | { kind: 'build'; id: number; request: BuildRequest; clock: Micros }
  | { kind: 'cancel'; id: number }
  | { kind: 'end' }

/** From the process that builds, after each build, with its resident memory at rest; null while others run. */
export type Outcome = { id: number; rss: number | null } & ({ result: PublishResult } | { error: SentError })

/** An error on its way between processes. Engines know errors by their names. */
export type SentError = { name: string; message: string; stack: string | undefined; isLeaseHeld: boolean }

export const toSent = (error: unknown): SentError => {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error))
  return { name, message, stack, isLeaseHeld: error instanceof LeaseHeld }
}

/** The error with its name and its stack, which is that of the other process. */
export function fromSent({ name, message, stack, isLeaseHeld }: SentError): Error {
  const error = isLeaseHeld ? new LeaseHeld('', 0) : new Error()
  return Object.assign(error, { name, message, stack: stack ?? `${name}: ${message}` })
}
