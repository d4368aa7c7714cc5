import { isIPv4 } from 'node:net'

import type { ConfiguredHost } from '#ingest/http/host.ts'
import type { Part } from '#ingest/source.ts'
import type { Chain } from '#registry/chains/chain.ts'
import type { RpcUrls } from '#registry/chains/rpc_urls.ts'

/** The limits of keyless endpoints, of endpoints that a setting names, and of nodes on this machine. */
const limits = {
  public: { requestsPer10s: 30, concurrency: 4 },
  configured: { requestsPer10s: 250, concurrency: 8 },
  local: { requestsPer10s: 1_000_000, concurrency: 16 },
}

/** The environment's part of the endpoints: URLs by chain, and the world that they serve. */
export type RpcSettings = { rpcUrls: RpcUrls; rpcWorld: string }

/** The same with the slugs of the chains that are read. */
export type ChainSettings = RpcSettings & { readChains: ReadonlySet<string> }

/** The settings of an environment without `RPC_<CHAIN>`. */
export const registryAlone: RpcSettings = { rpcUrls: {}, rpcWorld: 'real' }

/**
 * The endpoints of a chain as hosts, in the order of preference: those of the environment, or those of the registry. A
 * simulated world has only endpoints of the environment.
 */
export function endpointsOf(chain: Chain, { rpcUrls, rpcWorld }: RpcSettings): ConfiguredHost[] {
  const configuredUrls = rpcUrls[chain.slug]
  if (configuredUrls === undefined && rpcWorld !== 'real') return []
  const usual = configuredUrls === undefined ? limits.public : limits.configured
  return (configuredUrls ?? chain.urls).map((url, n) => {
    const address = new URL(url)
    return {
      name: `rpc_${chain.slug.replaceAll('-', '_')}_${n + 1}`,
      doc: `A node of ${chain.name}`,
      url,
      ...(isLocal(address) ? limits.local : usual),
      provider: providerOf(address),
      ...(configuredUrls === undefined ? {} : { world: rpcWorld }),
    }
  })
}

/** The part of a source that reads a chain: each chain is planned, followed and limited by itself. */
export function chainPart(chain: Chain): Part {
  const [first, ...rest] = endpointsOf(chain, registryAlone)
  if (first === undefined) throw new Error(`chain ${chain.slug}: no endpoint; expected one`)
  return { name: chain.slug, chain: chain.slug, upstreams: [first, ...rest] }
}

/** `publicnode.com` for all chains of one provider; the whole address of a machine. */
function providerOf({ hostname, host }: URL): string {
  if (isLocal({ hostname }) || isIPv4(hostname) || hostname.includes(':')) return host
  return hostname.split('.').slice(-2).join('.')
}

const isLocal = ({ hostname }: Pick<URL, 'hostname'>): boolean =>
  /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
