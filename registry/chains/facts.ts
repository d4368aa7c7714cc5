import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A line of `facts.ndjson`: what public lists agree on, with the names of the lists. Addresses are in lower case. */
export type ChainFacts = {
  id: number
  wrapped?: { address: string; lists: readonly string[] }
  dollars?: readonly { symbol: string; address: string; decimals: number; lists: readonly string[] }[]
  explorer?: { url: string; lists: readonly string[] }
}

/** A line of `lists.ndjson`: a package with facts of chains. */
export type ChainList = { name: string; package: string; version: string; licence: string }

// The files are our own, so their lines are not checked again; a test does.
const readTable = (name: string): unknown[] =>
  readFileSync(join(import.meta.dirname, `${name}.ndjson`), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line))

/** The facts of chains by id. */
export const chainFacts: ReadonlyMap<number, ChainFacts> = new Map(
  (readTable('facts') as ChainFacts[]).map((facts) => [facts.id, facts]),
)

/** The lists behind the facts. */
export const chainLists = readTable('lists') as ChainList[]
