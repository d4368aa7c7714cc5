import * as viem from 'viem/chains'
import { z } from 'zod'

import { chains } from '#registry/chains/registry.ts'

import { chainFacts, type ChainEntry } from './agree.ts'
import type { PublicList } from './public_lists.ts'
import { opGasOracle } from './viem_table.ts'

const viemShape = z.object({
  blockExplorers: z.object({ default: z.object({ url: z.string() }) }).optional(),
  contracts: z.object({ gasPriceOracle: z.object({ address: z.string() }).optional() }).optional(),
})

/** What viem says of the chains of the registry. */
const entries = (): ChainEntry[] =>
  chains.flatMap(({ id, native, aliases }) => {
    if (id === null) return []
    const exports = aliases.flatMap((name) => viemShape.safeParse(Reflect.get(viem, name)).data ?? [])
    const explorers = exports.flatMap(({ blockExplorers }) => blockExplorers?.default.url ?? [])
    const isOpStack = exports.some(({ contracts }) => contracts?.gasPriceOracle?.address.toLowerCase() === opGasOracle)
    return [{ id, symbol: native.symbol, isOpStack, explorer: explorers[0] ?? null }]
  })

const asLines = (values: readonly object[]): string => `${values.map((value) => JSON.stringify(value)).join('\n')}\n`

/** `registry/chains/facts.ndjson`: the facts on which lists agree, one chain a line, by id. */
export const factsTable = (lists: readonly PublicList[]): string => {
  return asLines(chainFacts(entries(), lists).toSorted((a, b) => a.id - b.id))
}

/** `registry/chains/lists.ndjson`: the packages behind the facts, with their versions and licences, by name. */
export const listsTable = (lists: readonly PublicList[]): string =>
  asLines(
    lists.map((list) => ({ name: list.name, package: list.package, version: list.version, licence: list.licence })),
  )
