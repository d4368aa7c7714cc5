import type { ReadResult } from '#ingest/source.ts'
import { tokenViews } from '#sources/evm/decode/decode_log.ts'
import { deployments, family as keyedFamily, keyTokens, keyView } from '#sources/evm/decode/uniswap_v4.ts'
import { addressIn, viewCall, type ContractCall } from '#sources/evm/rpc/abi.ts'
import { callContracts } from '#sources/evm/rpc/call.ts'
import { decimalsIn, decimalsView, nameView, symbolView, textIn } from '#sources/evm/rpc/erc20.ts'
import type { Rpc } from '#sources/evm/rpc/rpc.ts'
import type { Micros } from '#time.ts'

import type { KeySearch } from './find_pool_keys.ts'

/**
 * A pool with the family of its events, or a token. `before` is the block of the first known swap of a pool that the
 * manager of Uniswap V4 holds; null of others.
 */
export type Contract = { address: string; family: string | null; before: number | null }

/**
 * A contract with the results of its views, by their call data; null where it refuses. The key that the creation of a
 * pool names is a result too.
 */
export type ReadContract = Omit<Contract, 'before'> & { results: Record<string, string | null> }

/**
 * The contracts of a unit, as read. `note` says what a search for creations of pools cost, and why it found not all.
 */
export type Reading = { contracts: ReadContract[]; note?: string }

const factoryView = viewCall('factory()')
const infoViews = [symbolView, nameView, decimalsView]

function viewsOf(chain: string, { address: to, family }: Asked): ContractCall[] {
  if (family === keyedFamily) return keyView(chain, to)
  const views = family === null ? infoViews : new Set([...(tokenViews[family] ?? []).flat(), factoryView])
  return [...views].map((data) => ({ to, data }))
}

/**
 * Reads the views of contracts, and those of the tokens that pools name and nobody has read. The key of a pool of
 * Uniswap V4 that its view does not know is searched in the events of its creation.
 */
export async function readContracts(
  rpc: Rpc,
  contracts: readonly Contract[],
  { isKnown, findKeys }: { isKnown: (token: string) => boolean; findKeys: KeySearch },
): Promise<Reading> {
  const first = await readAll(rpc, contracts)
  const note = await addKeys(rpc, { contracts, first }, findKeys)
  const asked = new Set(contracts.flatMap(({ address, family }) => (family === null ? [address] : [])))
  const named = new Set(first.flatMap((contract) => tokensOf(contract)))
  const tokens = [...named].filter((token) => isToken(token) && !asked.has(token) && !isKnown(token))
  const more = await readAll(
    rpc,
    tokens.toSorted().map((address) => ({ address, family: null })),
  )
  return { contracts: [...first, ...more], ...(note === undefined ? {} : { note }) }
}

/** Adds the keys of creations to the pools whose tokens are unknown. */
async function addKeys(
  rpc: Rpc,
  { contracts, first }: { contracts: readonly Contract[]; first: readonly ReadContract[] },
  findKeys: KeySearch,
): Promise<string | undefined> {
  const unknown = first.flatMap((contract, n) => {
    const before = contracts[n]?.before ?? null
    return before === null || tokensOf(contract).length > 0 ? [] : [{ contract, pool: contract.address, before }]
  })
  if (unknown.length === 0) return undefined
  const { keys, n_requests, reason } = await findKeys(rpc, unknown)
  for (const { contract, pool } of unknown) {
    const words = keys.get(pool)
    if (words !== undefined) contract.results['creation'] = `0x${words}`
  }
  const summary = `the creations of ${keys.size} of ${unknown.length} pools found in ${n_requests} requests`
  return reason === undefined ? summary : `${summary}: ${reason}`
}

type Asked = Pick<Contract, 'address' | 'family'>

async function readAll(rpc: Rpc, contracts: readonly Asked[]): Promise<ReadContract[]> {
  const viewsOfAll = contracts.map((contract) => viewsOf(rpc.chain.slug, contract))
  const results = await callContracts(rpc, viewsOfAll.flat())
  let n = 0
  return contracts.map(({ address, family }, at) => ({
    address,
    family,
    results: Object.fromEntries((viewsOfAll[at] ?? []).map(({ data }) => [data, results[n++] ?? null])),
  }))
}

/** Routers and pools mean the coin of the chain by this address. */
const native = `0x${'e'.repeat(40)}`
const isToken = (token: string): boolean => token !== 'native'

/** The tokens of a pool, in the order of its events: the first list of views that answers. Empty if none does. */
function tokensOf({ address, family, results }: ReadContract): string[] {
  if (family === keyedFamily)
    return (
      Object.values(results)
        .map((words) => keyTokens(address, words))
        .find((tokens) => tokens.length > 0) ?? []
    )
  for (const views of tokenViews[family ?? ''] ?? []) {
    const addresses = views.map((data) => addressIn(results[data]))
    const end = addresses.indexOf(undefined)
    const tokens = addresses
      .slice(0, end === -1 ? addresses.length : end)
      .map((token) => (token === native ? 'native' : token))
    if (tokens.length >= 2) return tokens as string[]
  }
  return []
}

/** The rows of contracts as of an instant. A pool whose views do not answer has none. */
export function contractRows(chain: string, contracts: readonly ReadContract[], seen_at: Micros): ReadResult['rows'] {
  const ofPools = contracts.flatMap((contract) => {
    const tokens = tokensOf(contract)
    const { address: pool, family, results } = contract
    if (family === null || tokens.length === 0) return []
    const factory = (family === keyedFamily ? deployments[chain]?.manager : addressIn(results[factoryView])) ?? null
    return [{ chain, pool, seen_at, family, tokens, factory, created_at: null, created_tx: null }]
  })
  const ofTokens = contracts.flatMap(({ address: token, family, results }) =>
    family === null
      ? [
          {
            chain,
            token,
            seen_at,
            symbol: textIn(results[symbolView]),
            name: textIn(results[nameView]),
            decimals: decimalsIn(results[decimalsView]),
            standard: 'erc20',
          },
        ]
      : [],
  )
  return { pools: ofPools, tokens: ofTokens }
}
