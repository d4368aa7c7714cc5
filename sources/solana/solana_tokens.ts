import { z } from 'zod'

import { defineSource, type PlanContext, type ReadResult, type PlannedSource } from '#ingest/source.ts'
import { unitOf } from '#ingest/units.ts'
import { time } from '#lake/columns.ts'
import type { Unit } from '#lake/units/unit.ts'
import { solana } from '#registry/chains/chain.ts'
import { processMemory, type RpcMemory } from '#sources/evm/rpc/endpoint_state.ts'
import { chainPart } from '#sources/evm/rpc/endpoints.ts'
import { gridInstant, SECOND } from '#time.ts'

import { readMints, type ReadMint } from './mints/read_mints.ts'
import { solanaRpcOf } from './solana_rpc.ts'

const source = { name: 'solana_tokens', unit: 'observation', part: solana.slug } as const
const grid_s = 60

/** The mints of one unit. More are units of free instants before it. */
const mostMints = 5_000

/** The tokens of Solana over JSON-RPC. `memory` has the limits and circuit breakers of endpoints. */
export function solanaTokensOf(memory: RpcMemory): PlannedSource {
  return defineSource({
    name: source.name,
    doc:
      'The decimals, symbols and names of the tokens that stored transactions of Solana move, as of the head. ' +
      '`getMultipleAccounts` reads each mint once, with the account of the program Metaplex that names it, whose ' +
      'address follows from the mint. A mint of the second program may hold its own name. A closed mint keeps the ' +
      'decimals that its transactions show.',
    parts: [chainPart(solana)],
    datasets: ['tokens'],
    unit: source.unit,
    precedence: 3,
    lag_s: 0,
    settle_s: 0,
    grid_s,
    follow: { group: 'swaps' },
    typical: { requests: 10, rows: 500, bytes: 500_000 },
    plan: planMints,
    read: async (unit, { part, get }) => {
      const seen = unit.params.map(seenOf)
      const read = await readMints(
        solanaRpcOf(part, get, memory),
        seen.map(({ mint }) => mint),
      )
      return { ...resultOf(unit, read), bodies: read.map((mint) => JSON.stringify(mint)) }
    },
    // The bodies are our own text.
    reparse: (unit, bodies) =>
      resultOf(
        unit,
        bodies.map((body) => JSON.parse(body) as ReadMint),
      ),
  })
}

export const solanaTokens = solanaTokensOf(processMemory)

/** A mint with the decimals and the standard that a transaction showed. */
type SeenMint = { mint: string; decimals: number; standard: string }
const paramOf = ({ mint, decimals, standard }: SeenMint): string => [mint, decimals, standard].join(':')
const seenOf = (param: string): SeenMint => {
  const [mint = '', decimals, standard = ''] = param.split(':')
  return { mint, decimals: Number(decimals), standard }
}

function resultOf(unit: Unit, read: readonly ReadMint[]): ReadResult {
  const seen = new Map(unit.params.map(seenOf).map((observed) => [observed.mint, observed]))
  const tokens = read.map(({ mint, decimals, standard, ...words }) => ({
    chain: solana.slug,
    token: mint,
    seen_at: unit.from,
    ...words,
    decimals: decimals ?? seen.get(mint)?.decimals ?? null,
    standard: standard ?? seen.get(mint)?.standard ?? '',
  }))
  return { rows: { tokens }, rejected: [], state: 'complete', proof: `${read.length} mints answered` }
}

const seenShape = z.object({ mint: z.string(), decimals: z.coerce.number(), standard: z.string() })

/** The units of the mints that no earlier observation has. */
async function planMints({ at, lake, part }: PlanContext): Promise<Unit[]> {
  const latest = gridInstant(at, grid_s)
  const prefix = `${source.name}/${part.name}/`
  const mints = await lake.query(
    `select token as mint, min(decimals) as decimals, min(standard) as standard from lake.tokens t
     where chain = $chain and source <> $name and decimals is not null
       and not exists (from lake.tokens k where k.source = $name and k.token = t.token and k.seen_at < $latest)
     group by token order by token`,
    seenShape,
    { chain: part.name, name: source.name, latest: time.encode(latest) },
    { tokens: [`solana_blocks/${part.name}/`, `solana_accounts/${part.name}/`, prefix] },
  )
  const stored = await lake.query(
    `select distinct epoch_us(from_at) as from_us from lake.coverage
     where source = $name and part = $chain and state <> 'missing'`,
    z.object({ from_us: z.coerce.number() }),
    { name: source.name, chain: part.name },
    { coverage: [prefix] },
  )
  const taken = new Set(stored.map(({ from_us }) => from_us))
  const units: Unit[] = []
  for (let [n, from] = [0, latest]; n < mints.length; from -= grid_s * SECOND) {
    if (taken.has(from)) continue
    const params = mints.slice(n, n + mostMints).map(paramOf)
    units.push(unitOf(source, { from, to: from, params }))
    n += mostMints
  }
  return units
}
