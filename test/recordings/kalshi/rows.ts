import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { recordingsDir } from '#test/recordings/routes.ts'

export type Body = Record<string, unknown>

/** The folders with recordings of the venue: of the older wire, which had cents, and of the newer one. */
const folders = {
  cents: ['The-Obstacle-Is-The-Way__kalshi-starter-code-python'],
  dollars: ['Brianlee7281__Kalshi_Prediction_Soccer', 'guzus__dr-manhattan', 'josephsapinoso__kalshi-cockpit'],
}
export type Generation = keyof typeof folders
export const generations = Object.keys(folders) as Generation[]

/** A row is known by its fields, in whatever wrapping it was recorded. */
const kinds = {
  market: ['ticker', 'event_ticker', 'status', 'title', 'open_time'],
  trade: ['trade_id', 'ticker', 'created_time'],
  series: ['ticker', 'category', 'fee_multiplier'],
} as const
export type Kind = keyof typeof kinds

/** All recorded rows of a kind, file by file. */
export const recordedRows = (kind: Kind, of: readonly Generation[] = generations): Body[] =>
  of
    .flatMap((generation) => folders[generation])
    .flatMap((folder) =>
      readdirSync(join(recordingsDir, folder))
        .filter((name) => name.endsWith('.json') && !/^(poly|limitless)/.test(name))
        .toSorted()
        .map((name) => join(recordingsDir, folder, name)),
    )
    .flatMap((file) => rowsWithin(JSON.parse(readFileSync(file, 'utf8')), kind))

function rowsWithin(value: unknown, kind: Kind): Body[] {
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap((item) => rowsWithin(item, kind))
  const body = value as Body
  if (kinds[kind].every((field) => field in body)) return [body]
  return Object.values(body).flatMap((item) => rowsWithin(item, kind))
}

/** The recorded markets by their tickers. Of a market that was recorded more than once the last recording counts. */
export const recordedMarkets = (): Map<string, Body> =>
  new Map(recordedRows('market').map((row) => [String(row['ticker']), row]))

/** Combinations of markets, which the sources leave out. */
export const isCombo = (row: Body): boolean => row['mve_collection_ticker'] !== undefined
