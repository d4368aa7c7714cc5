import { followedParts } from '#activities/index.ts'
import { parseConfig, type Config } from '#config.ts'
import { sources } from '#sources/index.ts'

import { simulatedHosts, type SimulatedWorld } from './simulated_hosts.ts'

/** The sources that read chains. */
const ofChains = sources.filter(({ parts }) => parts.every(({ chain }) => chain !== undefined))

/**
 * The configuration of a process that reads a simulated world: the hosts and the nodes (`RPC_<CHAIN>`) that the world
 * serves, and the sources that read them. The chains of a world have no contracts of a venue: read from them, a venue
 * would have no trades, and these would replace those of its hosts. The registry and the environment may name nodes of further chains; none of
 * them is left, so that a live balance is asked of the world alone.
 */
export function simulatedConfig(config: Config, world: SimulatedWorld, rpc: Record<string, string>): Config {
  const chains = parseConfig({ ...rpc, TAPELINE_WORLD: world.worldName }, ofChains)
  const { rpcUrls, rpcWorld, readChains } = chains
  const hosts = { ...simulatedHosts(config.hosts, world), ...chains.hosts }
  const isServed = (source: Config['sources'][number]): boolean =>
    !ofChains.some(({ name }) => name === source.name) && followedParts(source, hosts).length > 0
  const ofVenue = ({ parts }: Config['sources'][number]): boolean => parts.some(({ name, chain }) => name !== chain)
  const read = [...config.sources.filter(isServed), ...chains.sources.filter((source) => !ofVenue(source))]
  return { ...config, hosts, sources: read, rpcUrls, rpcWorld, readChains }
}
