import { z } from 'zod'

import { isFirstOfDay } from '#activities/ingest/change_rows.ts'
import { unitOf } from '#activities/ingest/units.ts'
import { defineSource, type PlanContext, type PullResult, type PullSource } from '#activities/source.ts'
import { time } from '#lake/columns.ts'
import type { LakeReader } from '#lake/reader.ts'
import type { Unit } from '#lake/units/unit.ts'
import { gridInstant, SECOND } from '#time.ts'

import { contractRows, readContracts, type Contract, type ReadContract } from './calls/contract_rows.ts'
import { tokenViews } from './calls/views.ts'
import { evmParts, rpcOf } from './parts.ts'
import { processMemory, type RpcMemory } from './rpc/endpoint_state.ts'
import { deployments, family as keyedFamily } from './uniswap_v4.ts'

const name = 'evm_tokens'
const GRID_S = 60

/** The contracts of one unit. More are units of free instants before it. */
const mostContracts = 10_000

/** The tokens of pools and their names and decimals, of the chains that `evm_swaps` reads. */
export function evmTokensOf(memory: RpcMemory): PullSource {
  return defineSource({
    name,
    doc:
      'The tokens of the pools of `evm_swaps`, and the symbols, names and decimals of the tokens that its transactions ' +
      'move, read by `eth_call` as of the head: through Multicall3 where the chain has it, else in batches. Each ' +
      'contract is read once. A pool that names no tokens is asked again when it has further swaps. The key of a pool ' +
      'of Uniswap V4 whose creation was not read is asked of the contract that mints positions, and proved by its hash.',
    parts: evmParts,
    datasets: ['pools', 'tokens'],
    unit: 'observation',
    precedence: 1,
    lag_s: 0,
    settle_s: 0,
    grid_s: GRID_S,
    follow: { group: 'swaps' },
    typical: { requests: 20, rows: 500, bytes: 300_000 },
    plan,
    pull: async (unit, { part, get, lake }) => {
      const before = await knownTokens(lake, unit.part, unit.from)
      const contracts = unit.params.map(contractOf)
      const read = await readContracts(rpcOf(part, get, memory), contracts, (token) => before.has(token))
      return { ...resultOf(unit, read), bodies: read.map((contract) => JSON.stringify(contract)) }
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

const resultOf = (unit: Unit, contracts: readonly ReadContract[]): PullResult => ({
  rows: contractRows(unit.part, contracts, unit.from),
  rejected: [],
  state: 'complete',
  proof: `${contracts.length} contracts answered or refused`,
})

/** `uniswap_v3:0x…` for a pool, the address alone for a token. */
const paramOf = ({ address, family }: Contract): string => (family === null ? address : `${family}:${address}`)
const contractOf = (param: string): Contract => {
  const [first = '', second] = param.split(':')
  return second === undefined ? { address: first, family: null } : { address: second, family: first }
}

async function plan({ at, part, lake, includeOpen }: PlanContext): Promise<Unit[]> {
  const latest = gridInstant(at, GRID_S)
  const chain = part.name
  const isShort = includeOpen && !(await isFirstOfDay(lake, { name, part: chain }, latest))
  const contracts = await newContracts(lake, chain, latest, isShort ? await recentUnits(lake, chain) : undefined)
  const taken = await storedInstants(lake, chain)
  const units: Unit[] = []
  for (let [n, from] = [0, latest]; n < contracts.length; from -= GRID_S * SECOND) {
    if (taken.has(from)) continue
    const params = contracts.slice(n, n + mostContracts).map(paramOf)
    units.push(unitOf({ name, unit: 'observation', part: chain }, { from, to: from, params }))
    n += mostContracts
  }
  return units
}

const contractShape = z.object({ address: z.string(), family: z.string().nullable() })

/** The pools and tokens of stored swaps that are not known before an instant, the pools first. */
async function newContracts(
  lake: LakeReader,
  chain: string,
  from: number,
  units: readonly string[] = [`evm_swaps/${chain}/`],
): Promise<Contract[]> {
  if (units.length === 0) return []
  const families = [...Object.keys(tokenViews), ...(deployments[chain] ? [keyedFamily] : [])].join()
  return lake.query(
    `with seen_pools as (
       select pool, min(family) as family from lake.swaps
       where source = 'evm_swaps' and chain = $chain and token0 is null and pool is not null
         and list_contains(string_split($families, ','), family)
       group by pool
     ),
     seen_tokens as (
       select token from lake.transfers where source = 'evm_swaps' and chain = $chain
       union
       select unnest([token0, token1]) from lake.swaps where source = 'evm_swaps' and chain = $chain
     )
     select pool as address, family from seen_pools
     where pool not in (
       select pool from lake.pools
       where chain = $chain and seen_at < $from and (created_at is null or family = $keyed_family)
     )
     union all
     select token, null from seen_tokens
     where token <> 'native' and token not in (select token from lake.tokens where chain = $chain and seen_at < $from)
     order by family nulls last, address`,
    contractShape,
    { chain, families, keyed_family: keyedFamily, from: time.encode(from) },
    { ...known(chain), swaps: units, transfers: units },
  )
}

/** The units of `evm_swaps` that were read since the last observation, with a margin for those that end late. */
async function recentUnits(lake: LakeReader, chain: string): Promise<string[]> {
  const rows = await lake.query(
    `with last as (select max(from_at) as from_at from lake.coverage where source = $name and part = $chain and state <> 'missing')
     select distinct unit from lake.coverage
     where source = 'evm_swaps' and part = $chain and checked_at >= (select from_at - interval 1 hour from last)`,
    z.object({ unit: z.string() }),
    { name, chain },
    { coverage: [`${name}/${chain}/`, `evm_swaps/${chain}/`] },
  )
  return rows.map(({ unit }) => unit)
}

/** The instants of stored units. */
async function storedInstants(lake: LakeReader, chain: string): Promise<Set<number>> {
  const rows = await lake.query(
    `select distinct epoch_us(from_at) as from_us from lake.coverage
     where source = $name and part = $chain and state <> 'missing'`,
    z.object({ from_us: z.coerce.number() }),
    { name, chain },
    { coverage: [`${name}/${chain}/`] },
  )
  return new Set(rows.map(({ from_us }) => from_us))
}

/** The units with known pools and tokens. */
const known = (chain: string) => ({
  pools: [`evm_swaps/${chain}/`, `${name}/${chain}/`],
  tokens: [`${name}/${chain}/`],
})

async function knownTokens(lake: LakeReader, chain: string, before: number): Promise<Set<string>> {
  const rows = await lake.query(
    'select distinct token from lake.tokens where chain = $chain and seen_at < $before',
    z.object({ token: z.string() }),
    { chain, before: time.encode(before) },
    known(chain),
  )
  return new Set(rows.map(({ token }) => token))
}
