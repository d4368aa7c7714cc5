import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { solana, type Chain } from './chain.ts'
import { chainFacts } from './facts.ts'
import { overrides } from './overrides.ts'

/** A line of `viem.ndjson`. The file is our own, so its lines are not checked again; a test compares it with viem. */
type ViemChain = {
  id: number
  viem: string
  name: string
  symbol: string
  decimals: number
  urls: string[]
  block_ms?: number
  multicall3?: string
  is_op_stack?: true
}

/** The predeployed contract of the native coin on the OP stack. */
const opWrapped = '0x4200000000000000000000000000000000000006'
/** The least depth of finality, in blocks and in time, whichever is more blocks. */
const leastFinality = { blocks: 30, ms: 60_000 }

/** The blocks of a unit: minutes of a busy chain, hours of a quiet one. */
const unitBlocks = 1_000

/** Reads the table of viem's chains, one JSON object a line. */
const readTable = (): ViemChain[] =>
  readFileSync(join(import.meta.dirname, 'viem.ndjson'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as ViemChain)

/** Every chain, by slug. EVM chains come from viem's registry and the facts of public lists, with the overrides on top. */
export const chains: readonly Chain[] = [...evmChains(readTable()), solana].toSorted((a, b) =>
  a.slug < b.slug ? -1 : 1,
)

/** One chain an id. Throws an error where several exports of viem have one id and no override chooses. */
function evmChains(table: readonly ViemChain[]): Chain[] {
  const byId = new Map<number, ViemChain[]>()
  for (const chain of table) byId.set(chain.id, [...(byId.get(chain.id) ?? []), chain])
  return [...byId].flatMap(([id, entries]) => {
    const override = overrides[id] ?? {}
    if (override.dropped !== undefined) return []
    const [only] = entries.length === 1 ? entries : entries.filter(({ viem }) => viem === override.viem)
    if (only === undefined) {
      const names = entries.map(({ viem }) => viem).join(', ')
      throw new Error(`chain ${id}: several exports of viem; expected an override that names one of ${names}`)
    }
    return [chainOf(only, override, [...new Set(entries.map(({ viem }) => viem))])]
  })
}

function chainOf(chain: ViemChain, override: (typeof overrides)[number], aliases: string[]): Chain {
  const block_ms = override.block_ms ?? chain.block_ms ?? null
  const facts = chainFacts.get(chain.id)
  const ofTime = block_ms === null ? 0 : Math.ceil(leastFinality.ms / block_ms)
  return {
    slug: override.slug ?? slugOf(chain.name),
    kind: 'evm',
    id: chain.id,
    name: override.name ?? chain.name,
    aliases,
    native: { symbol: chain.symbol, decimals: chain.decimals },
    urls: [...new Set([...chain.urls, ...(override.urls ?? [])])],
    block_ms,
    finality: override.finality ?? Math.max(leastFinality.blocks, ofTime),
    wrapped: override.wrapped ?? facts?.wrapped?.address ?? (chain.is_op_stack === true ? opWrapped : null),
    mirrors: override.mirrors ?? [],
    stables: override.stables ?? facts?.dollars?.map(({ address }) => address) ?? [],
    stableSymbols: Object.fromEntries(facts?.dollars?.map(({ address, symbol }) => [address, symbol]) ?? []),
    explorer: facts?.explorer?.url ?? null,
    multicall3: chain.multicall3 ?? null,
    unit_blocks: override.unit_blocks ?? unitBlocks,
  }
}

/** The kebab-case of a name, without the word Mainnet, which every chain here is. */
function slugOf(name: string): string {
  const ownName = name.replace(/\s*\bmainnet$/i, '')
  return ownName
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
}
