import { z } from 'zod'

import type { Lake } from '#lake/lake.ts'
import { keysOfKind, type AddressKind } from '#registry/chains/address_kind.ts'

import type { EmptyKey } from './batch.ts'
import type { Source } from './source.ts'

/**
 * The requested keys of one source: those of its kind, those with stored rows, and those its upstream has no rows of.
 */
type Reading = {
  asked: ReadonlySet<string>
  stored: ReadonlySet<string>
  empty: ReadonlySet<string>
  addresses: AddressKind | undefined
}

/** The kind of the addresses that a source reads; undefined if it reads no addresses. */
export const addressesOf = (source: Source): AddressKind | undefined =>
  source.kind === 'stream' ? undefined : source.addresses

/** Divides requested keys for a source. `empty` lists the keys of all sources whose upstreams had no rows. */
export async function readingOf(
  lake: Lake,
  source: Source,
  { keys, empty }: { keys: readonly string[]; empty: readonly EmptyKey[] },
): Promise<Reading> {
  const addresses = addressesOf(source)
  const asked = keysOfKind(keys, addresses)
  return {
    asked: new Set(asked),
    stored: asked.length === 0 ? new Set() : await storedKeys(lake, source.name, asked),
    empty: new Set(empty.flatMap((emptyKey) => (emptyKey.source === source.name ? [emptyKey.key] : []))),
    addresses,
  }
}

/**
 * The keys that a source has yet to read, and those whose request rests for a day: no upstream knew them, or they are
 * wallets of Solana, which may be stored without a trade. A key that no source reads is neither.
 */
export function requestsAfter(
  keys: readonly string[],
  readings: readonly Reading[],
): { left: string[]; empty: string[] } {
  const left = keys.filter((key) =>
    readings.some(({ asked, stored, empty }) => asked.has(key) && !stored.has(key) && !empty.has(key)),
  )
  const waiting = new Set(left)
  const rests = (key: string): boolean => {
    const readers = readings.filter(({ asked }) => asked.has(key))
    const isKnown = readers.some(({ stored, addresses }) => stored.has(key) && addresses !== 'solana')
    return readers.length > 0 && !waiting.has(key) && !isKnown
  }
  return { left, empty: keys.filter(rests) }
}

/** The keys with coverage other than `missing`. */
async function storedKeys(lake: Lake, source: string, keys: readonly string[]): Promise<Set<string>> {
  const rows = await lake.read(({ query }) =>
    query(
      `select distinct key from lake.coverage where source = $source and state <> 'missing'
         and key in (select unnest(string_split($keys, ',')))`,
      z.object({ key: z.string() }),
      { source, keys: keys.join() },
      { coverage: [`${source}/`] },
    ),
  )
  return new Set(rows.map(({ key }) => key))
}
