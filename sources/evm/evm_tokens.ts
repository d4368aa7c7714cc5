import { z } from 'zod'

import { defineSource, type PlanContext, type ReadResult, type PlannedSource } from '#ingest/source.ts'
import { time } from '#lake/columns.ts'
import type { LakeReader } from '#lake/reader.ts'
import type { Unit } from '#lake/units/unit.ts'

import { observing, planObservations, transactionSources, unitsOfTransactions } from './blocks/plan_observations.ts'
import { tokenViews } from './decode/decode_log.ts'
import { deployments, family as keyedFamily } from './decode/uniswap_v4.ts'
import { evmParts, rpcOf } from './rpc/chain_parts.ts'
import { processMemory, type RpcMemory } from './rpc/endpoint_state.ts'
import { createKeySearch } from './tokens/find_pool_keys.ts'
import { contractRows, readContracts, type Contract, type ReadContract } from './tokens/read_contracts.ts'

const name = 'evm_tokens'

/** The contracts of one unit. More are units of free instants before it. */
const mostContracts = 10_000

/** The tokens of pools and their names and decimals, of the chains that `evm_swaps` reads. */
export function evmTokensOf(memory: RpcMemory): PlannedSource {
  const findKeys = createKeySearch()
  return defineSource({
    name,
    doc:
      'The tokens of the pools of `evm_swaps` and `evm_accounts`, and the symbols, names and decimals of the tokens that ' +
      'their transactions move, read by `eth_call` as of the head: through Multicall3 where the chain has it, else in ' +
      'batches. Each contract is read once. A pool that names no tokens is asked again when it has further swaps. ' +
      'The key of a pool of Uniswap V4 whose creation was not read is asked of the contract that mints positions. If ' +
      'that has none, the creation is searched in the events of the manager by `eth_getLogs`, with at most 100 ' +
      'requests in a unit. The hash of a key proves it.',
    parts: evmParts,
    datasets: ['pools', 'tokens'],
    ...observing,
    typical: { requests: 20, rows: 500, bytes: 300_000 },
    plan,
    read: async (unit, { part, get, lake }) => {
      const storedTokens = await tokensOfOthers(lake, unit.part, unit.from)
      const contracts = unit.params.map(contractOf)
      const isKnown = (token: string): boolean => storedTokens.has(token)
      const { contracts: read, note } = await readContracts(rpcOf(part, get, memory), contracts, { isKnown, findKeys })
      const result = resultOf(unit, read)
      const proof = note === undefined ? result.proof : `${result.proof}; ${note}`
      return {
        ...result,
        ...(proof === undefined ? {} : { proof }),
        bodies: read.map((contract) => JSON.stringify(contract)),
      }
    },
    // The bodies are our own text, so only the results of views are checked again.
    reparse: (unit, bodies) =>
      resultOf(
        unit,
        bodies.map((body) => JSON.parse(body) as ReadContract),
      ),
  })
}

export const evmTokens = evmTokensOf(processMemory)

const resultOf = (unit: Unit, contracts: readonly ReadContract[]): ReadResult => ({
  rows: contractRows(unit.part, contracts, unit.from),
  rejected: [],
  state: 'complete',
  proof: `${contracts.length} contracts answered or refused`,
})

/**
 * `uniswap_v3:0x…` for a pool, with the block of its first swap if its creation can be searched; the address of a
 * token.
 */
const paramOf = ({ address, family, before }: Contract): string =>
  family === null ? address : [family, address, ...(before === null ? [] : [before])].join(':')
const contractOf = (param: string): Contract => {
  const [first = '', second, block] = param.split(':')
  if (second === undefined) return { address: first, family: null, before: null }
  return { address: second, family: first, before: block === undefined ? null : Number(block) }
}

function plan(context: PlanContext): Promise<Unit[]> {
  return planObservations({ name, most: mostContracts }, context, async (before, units) =>
    (await newContracts(context.lake, context.part.name, before, units)).map(paramOf),
  )
}

const contractShape = z.object({
  address: z.string(),
  family: z.string().nullable(),
  before: z.coerce.number().nullable(),
})

/** The pools and tokens of stored swaps that are not known at an instant, the pools first. */
async function newContracts(
  lake: LakeReader,
  chain: string,
  from: number,
  units: readonly string[],
): Promise<Contract[]> {
  const families = [...Object.keys(tokenViews), ...(deployments[chain] ? [keyedFamily] : [])].join()
  return lake.query(
    `with seen_pools as (
       select pool, min(family) as family, min(block) filter (where emitter = $manager) as before from lake.swaps
       where source in ${transactionSources} and chain = $chain and token0 is null and pool is not null
         and list_contains(string_split($families, ','), family)
       group by pool
     ),
     seen_tokens as (
       select token from lake.transfers where source in ${transactionSources} and chain = $chain
       union
       select unnest([token0, token1]) from lake.swaps where source in ${transactionSources} and chain = $chain
     )
     select pool as address, family, before from seen_pools
     where pool not in (
       select pool from lake.pools
       where chain = $chain and seen_at <= $from and (created_at is null or family = $keyed_family)
     )
     union all
     select token, null, null from seen_tokens
     where token <> 'native' and token not in (select token from lake.tokens where chain = $chain and seen_at <= $from)
     order by family nulls last, address`,
    contractShape,
    { chain, families, keyed_family: keyedFamily, manager: deployments[chain]?.manager ?? '', from: time.encode(from) },
    { ...storedUnits(chain), swaps: units, transfers: units },
  )
}

/** The units with known pools and tokens. */
const storedUnits = (chain: string) => ({
  pools: [...unitsOfTransactions(chain), `${name}/${chain}/`],
  tokens: [`${name}/${chain}/`],
})

/**
 * The tokens of all units but that of an instant, which a refresh reads again. A unit may be stored after a later one.
 */
async function tokensOfOthers(lake: LakeReader, chain: string, instant: number): Promise<Set<string>> {
  const rows = await lake.query(
    'select distinct token from lake.tokens where chain = $chain and seen_at <> $instant',
    z.object({ token: z.string() }),
    { chain, instant: time.encode(instant) },
    storedUnits(chain),
  )
  return new Set(rows.map(({ token }) => token))
}
