import { z } from 'zod'

import { showAddress, type Address } from '#api/contract/address.ts'
import type { Marts, Snapshot } from '#snapshots/marts.ts'
import type { Micros } from '#time.ts'

import type { Asset } from './assets.ts'
import type { AddressEnds, FindAddresses } from './shortened.ts'
import { findMarkets, type FoundMarket } from './titles.ts'

/** The names that the current snapshots know. It names entities only; all figures come from readers. */
export type Lexicon = {
  /** The id of the snapshots; empty before the first. */
  snapshot: string
  /** The instant of the feed, from which `today` and `the last hour` count back; null before the first snapshot. */
  asOf: Micros | null
  assets: readonly Asset[]
  findMarkets: (words: readonly string[]) => Promise<FoundMarket[]>
  findAddresses: FindAddresses
  /** Which profiles an address has. */
  knows: (address: Address | undefined) => Promise<{ isTrader: boolean; isWallet: boolean }>
}

const assetRows = z.array(z.object({ symbol: z.string(), name: z.string() }))

/** Opens the lexicon of the current snapshots. The assets are read once for each snapshot. */
export function openLexicons(marts: Pick<Marts, 'current'>): () => Promise<Lexicon> {
  let last: { id: string; assets: Promise<readonly Asset[]> } | null = null
  const assetsOf = (scores: Snapshot): Promise<readonly Asset[]> => {
    if (last?.id !== scores.id) {
      const reading = { id: scores.id, assets: readAssets(scores) }
      last = reading
      // A busy pool refuses a read. The next question reads again.
      reading.assets.catch(() => {
        if (last === reading) last = null
      })
    }
    return last.assets
  }
  return async () => {
    const scores = marts.current('scores')
    const both = marts.current('pulse', 'scores')
    return {
      snapshot: both?.id ?? '',
      asOf: marts.current('pulse')?.asOf ?? null,
      assets: scores ? await assetsOf(scores) : [],
      findMarkets: async (words) => (both ? findMarkets(both, words) : []),
      findAddresses: async (ends) => (scores ? findAddresses(scores, ends) : []),
      knows: async (address) => ({
        isTrader: scores && address ? await hasRow(scores, 'pm_wallet', address) : false,
        isWallet: scores && address ? await hasRow(scores, 'wallet', address) : false,
      }),
    }
  }
}

/** Symbols with their names; an id such as `ripple` is a name too. */
const named = `select symbol, name from (
  select symbol, name, market_rank, 0 as n from marts.assets
  union all
  select symbol, replace(asset_id, '-', ' '), market_rank, 1 from marts.assets
) order by n desc, market_rank desc`

/** A snapshot of an earlier version has no names, but symbols. */
async function readAssets({ tables, query }: Snapshot): Promise<readonly Asset[]> {
  if (tables.has('assets')) return assetRows.parse(await query(named, {}))
  if (!tables.has('signals')) return []
  return assetRows.parse(await query('select distinct symbol, symbol as name from marts.signals', {}))
}

const profiles = ['pm_wallet', 'wallet'] as const
const addressRows = z.array(z.object({ address: z.string() }))

/** The addresses of profiles with certain ends. Letters of an EVM address may be of either case. */
async function findAddresses({ tables, query }: Snapshot, { head, tail }: AddressEnds): Promise<string[]> {
  const available = profiles.filter((table) => tables.has(table))
  if (available.length === 0) return []
  const rows = await query(
    `select distinct address from (${available.map((table) => `select address from marts.${table}`).join(' union all ')})
     where (starts_with(address, $head) and ends_with(address, $tail))
       or (starts_with(address, '0x') and starts_with(address, lower($head)) and ends_with(address, lower($tail)))
     order by address limit 2`,
    { head, tail },
  )
  return addressRows.parse(rows).map(({ address }) => showAddress(address))
}

async function hasRow(
  { tables, query }: Snapshot,
  table: (typeof profiles)[number],
  { key }: Address,
): Promise<boolean> {
  if (!tables.has(table)) return false
  return (await query(`select 1 as one from marts.${table} where address = $key limit 1`, { key })).length > 0
}
